package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NullAway")
class ParameterTest {

    @Test
    void parameter_withoutName_orWithoutType_isRefusedAtOnce() {
        assertThatNullPointerException()
                .isThrownBy(() -> new Parameter(null, DType.FLOAT32, 1))
                .withMessage("a parameter has no name: type=FLOAT32, shape=[1]; give one, the same on all ranks");
        assertThatNullPointerException()
                .isThrownBy(() -> new Parameter("a", null, 1))
                .withMessage("a parameter has no type: name=a, shape=[1]; give its elements'");
    }

    @Test
    void parameter_thatNoTensorHolds_isRefused() {
        assertThatThrownBy(() -> new Parameter("a", DType.UINT8, -1))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("shape=[-1]");
        assertThatThrownBy(() -> new Parameter("a", DType.UINT8, Long.MAX_VALUE / 8 + 1))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("no gradient is so large");
    }
}

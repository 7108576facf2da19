package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.reactivecomm.Tensor;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NullAway")
class GradientTest {

    @Test
    void gradient_withoutName_orWithoutTensor_isRefusedAtOnce() {
        try (Tensor tensor = Tensor.of(new float[1])) {
            assertThatNullPointerException()
                    .isThrownBy(() -> new Gradient(null, tensor))
                    .withMessage(
                            "a gradient has no name: tensor=FLOAT32[1] {0.0}; give its parameter's, the same on all ranks");
        }
        assertThatNullPointerException()
                .isThrownBy(() -> new Gradient("a", null))
                .withMessage("a gradient has no elements: name=a; give their tensor");
    }
}

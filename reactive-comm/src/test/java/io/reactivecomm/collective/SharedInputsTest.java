package io.reactivecomm.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An output in place of one input must not be another input too: it would be overwritten while it is sent. */
class SharedInputsTest {

    private final Tensor tensor = Tensor.of(new float[4]);
    private final Tensor other = Tensor.of(new float[4]);

    @Test
    void reduceScatter_inPlaceOfTwoInputs_isRefused() {
        assertThat(new ReduceScatter(List.of(other, tensor), tensor, ReduceOp.SUM).checkedFor(1, 2))
                .isNotNull();
        assertThatThrownBy(() -> new ReduceScatter(List.of(tensor, tensor), tensor, ReduceOp.SUM).checkedFor(1, 2))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("overlap");
    }

    @Test
    void scatter_inPlaceOfTwoInputs_isRefused() {
        assertThat(new Scatter(List.of(tensor, other), tensor, 0).checkedFor(0, 2))
                .isNotNull();
        assertThatThrownBy(() -> new Scatter(List.of(tensor, tensor.slice(0, 4)), tensor, 0).checkedFor(0, 2))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("overlap");
    }
}

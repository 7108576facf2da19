package io.reactivecomm.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several tensors as one row of elements. */
class TensorRowTest {

    private final Tensor three = Tensor.allocate(DType.INT32, 3);
    private final Tensor none = Tensor.allocate(DType.INT32, 0);
    private final Tensor two = Tensor.allocate(DType.INT32, 2);
    private final TensorRow row = TensorRow.of(List.of(three, none, none, two));

    @Test
    void slice_ofEachTensor_isItsMemory() {
        assertThat(row.slice(0, 3, 4)).isEqualTo(three.segment());
        assertThat(row.slice(1, 2, 4).address()).isEqualTo(three.segment().address() + 4);
        assertThat(row.slice(3, 2, 4)).isEqualTo(two.segment());
        assertThat(row.slice(4, 1, 4).address()).isEqualTo(two.segment().address() + 4);
    }

    @Test
    void slice_acrossTwoTensors_isAMistake() {
        assertThatThrownBy(() -> row.slice(2, 2, 4))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("from=2, count=2");
        assertThatThrownBy(() -> row.slice(4, 2, 4)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void rowOfOneTensor_hasOnlyIts() {
        TensorRow alone = TensorRow.of(List.of(three));
        assertThat(alone.count()).isEqualTo(3);
        assertThat(alone.slice(0, 3, 4)).isSameAs(three.segment());
        assertThat(alone.slice(1, 2, 4).address()).isEqualTo(three.segment().address() + 4);
        assertThat(alone.together(1, 9)).isEqualTo(2);
        assertThatThrownBy(() -> alone.together(3, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> alone.slice(2, 2, 4)).isInstanceOf(RuntimeException.class);
        assertThat(TensorRow.of(List.of()).count()).isZero();
        assertThat(row.count()).isEqualTo(5);
    }
}

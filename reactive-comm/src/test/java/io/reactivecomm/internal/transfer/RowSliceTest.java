package io.reactivecomm.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Elements of several tensors as one run of them. */
class RowSliceTest {

    private final Tensor three = Tensor.of(new int[] {1, 2, 3});
    private final Tensor none = Tensor.allocate(DType.INT32, 0);
    private final Tensor two = Tensor.of(new int[] {4, 5});
    private final Tensor large = Tensor.allocate(DType.INT32, 1 << 15);
    private final TensorRow row = TensorRow.of(List.of(three, none, two, large));

    private RowSlice slice(long from, long count) {
        return new RowSlice(row, from, count, Integer.BYTES);
    }

    @Test
    void whole_ofOneTensorsElements_isTheirMemory() {
        MemorySegment whole = slice(1, 2).whole();

        assertThat(whole).isNotNull();
        assertThat(whole.address()).isEqualTo(three.segment().address() + Integer.BYTES);
        assertThat(slice(1, 3).whole()).isNull();
        assertThat(new RowSlice(TensorRow.NONE, 0, 0, Integer.BYTES).whole()).isEqualTo(MemorySegment.NULL);
    }

    @Test
    void together_endsWhereTheTensorDoes() {
        assertThat(slice(1, 4).together(0, 4)).isEqualTo(2);
        assertThat(slice(1, 4).together(2, 4)).isEqualTo(2);
        assertThat(slice(1, 4).together(0, 1)).isEqualTo(1);
    }

    @Test
    void pack_andUnpack_crossTensors() {
        MemorySegment packed = MemorySegment.ofArray(new int[3]);
        slice(1, 4).pack(1, 3, packed);
        assertThat(packed.toArray(ValueLayout.JAVA_INT)).containsExactly(3, 4, 5);

        slice(1, 4).unpack(1, 3, MemorySegment.ofArray(new int[] {30, 40, 50}));
        assertThat(three.toIntArray()).containsExactly(1, 2, 30);
        assertThat(two.toIntArray()).containsExactly(40, 50);
    }

    @Test
    void goodPiece_packsSmallTensors_andLeavesLargeOnesAlone() {
        RowSlice all = slice(0, 5 + (1 << 15));

        assertThat(all.goodPiece(0, 1000)).isEqualTo(1000);
        assertThat(all.goodPiece(5, 1 << 16)).isEqualTo(1 << 15);
        assertThat(all.goodPiece(5 + (1 << 14), 1 << 14)).isEqualTo(1 << 14);
    }
}

package io.reactivecomm.internal.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.test.StepVerifier;

class HostTensorTest {

    @ParameterizedTest
    @EnumSource
    void allocate_anyType_isZeroedAndAligned(DType type) {
        try (Tensor tensor = Tensor.allocate(type, 3, 5)) {
            assertThat(tensor.type()).isEqualTo(type);
            assertThat(tensor.shape()).containsExactly(3, 5);
            assertThat(tensor.count()).isEqualTo(15);
            assertThat(tensor.byteSize()).isEqualTo(15L * type.byteSize());
            assertThat(tensor.device()).isEqualTo(Device.CPU);
            assertThat(tensor.segment().byteSize()).isEqualTo(tensor.byteSize());
            assertThat(tensor.segment().address() % 64).isZero();
            assertThat(tensor.toDoubleArray()).containsOnly(0);
        }
    }

    @Test
    void allocate_noDimensions_isScalar() {
        try (Tensor scalar = Tensor.allocate(DType.FLOAT64)) {
            assertThat(scalar.shape()).isEmpty();
            assertThat(scalar.toDoubleArray()).containsExactly(0);
            assertThat(scalar).hasToString("FLOAT64[] {0.0}");
        }
    }

    @Test
    void allocate_zeroDimension_hasNoElements() {
        try (Tensor empty = Tensor.allocate(DType.INT64, Long.MAX_VALUE, 2, 0)) {
            assertThat(empty.count()).isZero();
            assertThat(empty.byteSize()).isZero();
            assertThat(empty.segment().byteSize()).isZero();
            assertThat(empty.toLongArray()).isEmpty();
            assertThat(empty.slice(0, 0).count()).isZero();
        }
    }

    @Test
    void allocate_negativeDimension_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.allocate(DType.INT8, 2, -1))
                .withMessageContainingAll("type=INT8", "shape=[2, -1]", "; give");
        assertThatIllegalArgumentException().isThrownBy(() -> Tensor.allocate(DType.INT8, 0, -1));
    }

    @Test
    void allocate_overflowingSize_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.allocate(DType.INT8, 1L << 32, 1L << 31))
                .withMessageContaining("too large");
        assertThatIllegalArgumentException().isThrownBy(() -> Tensor.allocate(DType.INT64, 1L << 60));
    }

    @Test
    void allocate_shapeArray_isNotShared() {
        long[] shape = {2, 3};
        try (Tensor tensor = Tensor.allocate(DType.INT8, shape)) {
            shape[0] = 9;
            tensor.shape()[1] = 9;
            assertThat(tensor.shape()).containsExactly(2, 3);
        }
    }

    @Test
    void of_noShape_isOneDimension() {
        try (Tensor floats = Tensor.of(new float[] {1, 2, 3});
                Tensor none = Tensor.of(new long[0])) {
            assertThat(floats.shape()).containsExactly(3);
            assertThat(floats.toFloatArray()).containsExactly(1, 2, 3);
            assertThat(none.shape()).containsExactly(0);
        }
    }

    @Test
    void of_values_areCopied() {
        int[] values = {1, 2, 3, 4};
        try (Tensor tensor = Tensor.of(values, 2, 2)) {
            values[0] = 9;
            assertThat(tensor.toIntArray()).containsExactly(1, 2, 3, 4);
            assertThat(tensor).hasToString("INT32[2, 2] {1, 2, 3, 4}");
        }
    }

    @Test
    void of_shapeOfOtherCount_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.of(new double[3], 2, 2))
                .withMessageContainingAll("values=3", "shape=[2, 2]", "count=4");
    }

    @Test
    void wrap_nativeSegment_sharesMemoryAndLeavesItToItsOwner() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment segment = arena.allocate(13).asSlice(1);
            Tensor tensor = Tensor.wrap(segment, DType.FLOAT32, 3);
            segment.set(JAVA_FLOAT_UNALIGNED, 8, 2.5f);
            assertThat(tensor.toFloatArray()).containsExactly(0, 0, 2.5f);

            tensor.close();
            assertThat(tensor.isClosed()).isTrue();
            assertThat(segment.scope().isAlive()).isTrue();
        }
    }

    @Test
    void wrap_unfitSegment_isRefused() {
        try (Arena shared = Arena.ofShared();
                Arena confined = Arena.ofConfined()) {
            assertUnfit(MemorySegment.ofArray(new byte[8]), "heap");
            assertUnfit(shared.allocate(8).asReadOnly(), "read-only");
            assertUnfit(confined.allocate(8), "confined");
            assertUnfit(shared.allocate(9), "segmentBytes=9");
            assertUnfit(shared.allocate(4), "tensorBytes=8");
        }
    }

    private static void assertUnfit(MemorySegment segment, String fact) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.wrap(segment, DType.INT32, 2))
                .withMessageContaining(fact);
    }

    @Test
    void slice_beyondTwoToThe31_reachesItsElements(@TempDir Path folder) throws IOException {
        long count = (1L << 31) + 16;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment segment = sparse(folder.resolve("large"), count, arena);
            Tensor tensor = Tensor.wrap(segment, DType.INT8, 2, count / 2);
            assertThat(tensor.count()).isEqualTo(count);
            segment.set(JAVA_BYTE, count - 1, (byte) 7);

            assertThat(tensor.slice(count - 3, 3).toByteArray()).containsExactly(0, 0, 7);
            assertThatIllegalStateException().isThrownBy(tensor::toByteArray).withMessageContaining("slices");
        }
    }

    private static MemorySegment sparse(Path file, long byteSize, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.SPARSE,
                StandardOpenOption.DELETE_ON_CLOSE)) {
            return channel.map(MapMode.READ_WRITE, 0, byteSize, arena);
        }
    }

    @Test
    void slice_ofSlice_isViewOfTheSameMemory() {
        try (Tensor tensor = Tensor.of(new long[] {0, 1, 2, 3, 4, 5}, 2, 3)) {
            Tensor slice = tensor.slice(1, 4).slice(2, 2);
            assertThat(slice.shape()).containsExactly(2);
            assertThat(slice.toLongArray()).containsExactly(3, 4);
            slice.segment().fill((byte) -1);
            assertThat(tensor.toLongArray()).containsExactly(0, 1, 2, -1, -1, 5);
        }
    }

    @Test
    void slice_outside_isRefused() {
        try (Tensor tensor = Tensor.allocate(DType.INT32, 4)) {
            long[][] ranges = {{-1, 2}, {0, -1}, {0, 5}, {4, 1}, {5, 0}, {Long.MAX_VALUE, 2}, {2, Long.MAX_VALUE}};
            for (long[] range : ranges) {
                assertThatThrownBy(() -> tensor.slice(range[0], range[1]))
                        .isInstanceOf(IndexOutOfBoundsException.class)
                        .hasMessageContainingAll("INT32[4]", "from=" + range[0], "count=" + range[1]);
            }
        }
    }

    @Test
    void slice_closed_closesParentAndSiblings() {
        Tensor parent = Tensor.allocate(DType.INT8, 4);
        Tensor sibling = parent.slice(0, 1);
        MemorySegment segment = parent.segment();
        assertThat(sibling.borrow()).isTrue();

        parent.slice(2, 2).close();
        assertThat(parent.isClosed()).isTrue();
        assertThat(sibling.isClosed()).isTrue();
        assertThat(segment.scope().isAlive()).isTrue();
        sibling.giveBack();
        assertThat(segment.scope().isAlive()).isFalse();
    }

    @Test
    void released_ofParent_waitsForSlices() {
        try (Tensor parent = Tensor.allocate(DType.INT8, 4)) {
            Tensor slice = parent.slice(1, 2);
            assertThat(slice.borrow()).isTrue();

            StepVerifier.create(parent.released()).then(slice::giveBack).verifyComplete();
        }
    }

    @Test
    void close_tensor_refusesUse() {
        Tensor tensor = Tensor.allocate(DType.FLOAT32, 2);
        tensor.close();
        tensor.close();

        assertThat(tensor.borrow()).isFalse();
        assertThat(tensor.shape()).containsExactly(2);
        assertThatIllegalStateException().isThrownBy(tensor::segment).withMessageContaining("tensor=FLOAT32[2]");
        assertThatIllegalStateException().isThrownBy(tensor::toFloatArray);
        assertThatIllegalStateException().isThrownBy(() -> tensor.slice(0, 1));
    }

    @Test
    void equals_sameContent_isIdentity() {
        try (Tensor one = Tensor.of(new byte[] {1});
                Tensor other = Tensor.of(new byte[] {1})) {
            assertThat(Set.of(one, other)).hasSize(2).contains(one, other);
        }
    }
}

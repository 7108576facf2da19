package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values that are copied into a tensor, buffers that are wrapped, and the text of a tensor. */
class TensorSetTest {

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64"})
    void set_ofFloats_comesBackRounded(DType type) {
        try (Tensor tensor = Tensor.allocate(type, 2, 3)) {
            tensor.set(new float[] {1, -2.5f, 0, Float.NaN, Float.NEGATIVE_INFINITY, 65504});
            float last = type == DType.BFLOAT16 ? 65536 : 65504;
            assertThat(tensor.toFloatArray()).containsExactly(1, -2.5f, 0, Float.NaN, Float.NEGATIVE_INFINITY, last);
            tensor.set(new double[] {6, 5, 4, 3, 2, -1});
            assertThat(tensor.toDoubleArray()).containsExactly(6, 5, 4, 3, 2, -1);
        }
    }

    /** Between the two floats that a type has next to a double, the nearer one, or the even one. */
    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void set_ofDoubles_roundsOnce(DType type) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        double half = type == DType.FLOAT16 ? 0x1p-11 : 0x1p-8;
        try (Tensor tensor = Tensor.allocate(type, 1);
                Tensor neighbour = Tensor.allocate(type, 1)) {
            for (int i = 0; i < 2000; i++) {
                // Just above and below the middle of two neighbours, which a float cannot tell from it.
                double below = 1 + 2 * half * random.nextInt(1, 100);
                double value = below + half + (random.nextBoolean() ? 1e-12 : -1e-12);
                tensor.set(new double[] {value});
                neighbour.set(new double[] {below});
                double expected = value > below + half ? below + 2 * half : below;
                assertThat(neighbour.toDoubleArray()[0]).isEqualTo(below);
                assertThat(tensor.toDoubleArray()[0])
                        .as("seed=%d, value=%s", seed, new BigDecimal(value))
                        .isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8", "INT32", "UINT32", "INT64", "UINT64", "BOOL"})
    void set_ofIntegers_comesBack(DType type) {
        try (Tensor tensor = Tensor.allocate(type, 3)) {
            tensor.set(new long[] {1, 0, 1});
            assertThat(tensor.toLongArray()).containsExactly(1, 0, 1);
            if (type.byteSize() <= Integer.BYTES) {
                tensor.set(new int[] {0, 1, 0});
                assertThat(tensor.toIntArray()).containsExactly(0, 1, 0);
            }
        }
    }

    @Test
    void set_ofBytes_copiesBits() {
        try (Tensor tensor = Tensor.allocate(DType.FLOAT8_E4M3, 3)) {
            tensor.set(new byte[] {1, -1, 7});
            assertThat(tensor.toByteArray()).containsExactly(1, -1, 7);
        }
    }

    @Test
    void set_ofASlice_leavesTheRest() {
        try (Tensor tensor = Tensor.of(new int[] {1, 2, 3, 4})) {
            tensor.slice(1, 2).set(new int[] {8, 9});
            assertThat(tensor.toIntArray()).containsExactly(1, 8, 9, 4);
        }
    }

    @Test
    void set_ofAValueThatDoesNotFit_copiesNothing() {
        try (Tensor tensor = Tensor.of(new byte[] {5, 6})) {
            assertThatThrownBy(() -> tensor.set(new int[] {1, 128}))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("value=128, place=1");
            assertThatThrownBy(() -> tensor.set(new long[] {1, -129})).isInstanceOf(IllegalArgumentException.class);
            assertThat(tensor.toByteArray()).containsExactly(5, 6);
        }
    }

    @Test
    void set_ofAnotherLength_isRefused() {
        try (Tensor tensor = Tensor.of(new float[] {1, 2})) {
            assertThatThrownBy(() -> tensor.set(new float[3]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("values=3");
            assertThatThrownBy(() -> tensor.set(new double[1])).isInstanceOf(IllegalArgumentException.class);
            assertThat(tensor.toFloatArray()).containsExactly(1, 2);
        }
    }

    /** For each type, an array that is refused names exactly those that are not. */
    @ParameterizedTest
    @EnumSource
    void set_ofAnotherKind_namesTheArraysThatWork(DType type) {
        try (Tensor tensor = Tensor.allocate(type, 1)) {
            Map<String, Runnable> setters = setters(tensor);
            Map<String, String> refused = new TreeMap<>();
            setters.forEach((array, setter) -> {
                try {
                    setter.run();
                } catch (IllegalStateException e) {
                    refused.put(array, e.getMessage());
                }
            });
            assertThat(refused).isNotEmpty().hasSizeLessThan(setters.size());
            Set<String> accepted = new TreeSet<>(setters.keySet());
            accepted.removeAll(refused.keySet());
            refused.forEach((array, text) -> {
                assertThat(text).contains("cannot set a tensor from " + array);
                String remedy = text.substring(text.indexOf(';'));
                assertThat(setters.keySet())
                        .filteredOn(remedy::contains)
                        .as(text)
                        .containsExactlyInAnyOrderElementsOf(accepted);
            });
        }
    }

    private static Map<String, Runnable> setters(Tensor tensor) {
        return Map.of(
                "float[]", () -> tensor.set(new float[] {1}),
                "double[]", () -> tensor.set(new double[] {1}),
                "int[]", () -> tensor.set(new int[] {1}),
                "long[]", () -> tensor.set(new long[] {1}),
                "byte[]", () -> tensor.set(new byte[] {1}));
    }

    @Test
    void set_ofAClosedTensor_isRefused() {
        Tensor tensor = Tensor.allocate(DType.FLOAT32, 1);
        tensor.close();
        assertThatThrownBy(() -> tensor.set(new float[] {1}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void elements_afterTheArenaWasClosed_sayThatAndWhatToDo() {
        Tensor tensor;
        try (Arena arena = Arena.ofShared()) {
            tensor = Tensor.wrap(arena.allocate(1), DType.INT8, 1);
        }
        List<Runnable> uses = List.of(
                () -> tensor.set(new int[1]),
                () -> tensor.set(new long[1]),
                () -> tensor.set(new byte[1]),
                tensor::toIntArray,
                tensor::toLongArray,
                tensor::toByteArray,
                tensor::toFloatArray,
                tensor::toDoubleArray);
        for (Runnable use : uses) {
            assertThatThrownBy(use::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "tensor's memory is freed, because its arena was closed: tensor=INT8[1]; close the arena after the tensor's last use");
        }
    }

    @Test
    void wrap_ofABufferInNativeOrder_sharesItsMemory() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(12)
                .order(ByteOrder.nativeOrder())
                .putFloat(0, 9)
                .putFloat(4, 1)
                .putFloat(8, 2)
                .position(4);
        Tensor tensor = Tensor.wrap(buffer, DType.FLOAT32, 2);
        assertThat(tensor.toFloatArray()).containsExactly(1, 2);
        tensor.set(new float[] {3, 4});
        assertThat(buffer.getFloat(4)).isEqualTo(3);
    }

    @Test
    void wrap_ofABufferInTheOtherOrder_isRefusedUnlessElementsAreBytes() {
        ByteOrder other =
                ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        ByteBuffer buffer = ByteBuffer.allocateDirect(8).order(other);
        assertThatThrownBy(() -> Tensor.wrap(buffer, DType.FLOAT32, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the buffer's byte order is " + other)
                .hasMessageContaining("buffer.order(ByteOrder.nativeOrder())");
        assertThat(Tensor.wrap(buffer, DType.INT8, 8).count()).isEqualTo(8);
    }

    @Test
    void wrap_ofADuplicate_saysThatItsOrderWasReset() {
        assumeThat(ByteOrder.nativeOrder()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer buffer = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder());
        for (ByteBuffer reset : List.of(buffer.duplicate(), buffer.slice(), buffer.slice(0, 8))) {
            assertThatThrownBy(() -> Tensor.wrap(reset, DType.FLOAT32, 2))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("duplicate()");
            assertThat(Tensor.wrap(reset.order(ByteOrder.nativeOrder()), DType.FLOAT32, 2)
                            .count())
                    .isEqualTo(2);
        }
    }

    /** Faults that another byte order does not mend are reported first. */
    @Test
    void wrap_ofABufferThatCannotBeWritten_saysSo() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder());
        assertThatThrownBy(() -> Tensor.wrap(buffer.asReadOnlyBuffer(), DType.FLOAT32, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the buffer is read-only");
        assertThatThrownBy(() -> Tensor.wrap(ByteBuffer.allocate(8), DType.FLOAT32, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the buffer is on the heap");
        assertThatThrownBy(() -> Tensor.wrap(buffer, DType.FLOAT32, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bufferBytes=8")
                .hasMessageContaining("position and limit");
    }

    @Test
    void toString_showsTypeShapeAndFirstValues() {
        try (Tensor few = Tensor.of(new float[] {1, -0.5f, Float.NaN}, 3, 1);
                Tensor many = Tensor.of(new int[1000], 10, 100);
                Tensor none = Tensor.allocate(DType.FLOAT64, 0);
                Tensor bools = Tensor.allocate(DType.BOOL, 1);
                Tensor unsigned = Tensor.of(new long[] {-1}).view(DType.UINT64, 1)) {
            assertThat(few).hasToString("FLOAT32[3, 1] {1.0, -0.5, NaN}");
            assertThat(many).hasToString("INT32[10, 100] {0, 0, 0, 0, …}");
            assertThat(many.slice(0, 1)).hasToString("INT32[1] {0}");
            assertThat(none).hasToString("FLOAT64[0]");
            assertThat(bools).hasToString("BOOL[1] {false}");
            assertThat(unsigned).hasToString("UINT64[1] {18446744073709551615}");
        }
    }

    @Test
    void toString_whereMemoryMayBeGone_showsNoValues(@TempDir Path folder) throws Exception {
        Tensor closed = Tensor.of(new float[] {1});
        closed.close();
        assertThat(closed).hasToString("FLOAT32[1]");
        MemorySegment bare = MemorySegment.ofAddress(8).reinterpret(4);
        assertThat(Tensor.wrap(bare, DType.FLOAT32, 1)).hasToString("FLOAT32[1]");
        Tensor orphan;
        try (Arena arena = Arena.ofShared()) {
            orphan = Tensor.wrap(arena.allocate(ValueLayout.JAVA_FLOAT), DType.FLOAT32, 1);
            assertThat(orphan).hasToString("FLOAT32[1] {0.0}");
        }
        assertThat(orphan).hasToString("FLOAT32[1]");
        try (FileChannel file = FileChannel.open(
                        folder.resolve("mapped"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
                Arena arena = Arena.ofShared()) {
            Tensor mapped = Tensor.wrap(file.map(FileChannel.MapMode.READ_WRITE, 0, 4, arena), DType.FLOAT32, 1);
            file.truncate(0);
            assertThat(mapped).hasToString("FLOAT32[1]");
        }
    }

    @Test
    void toString_ofAClosedTensorThatIsBorrowed_showsNoValues() {
        Tensor tensor = Tensor.of(new float[] {1});
        assertThat(tensor.borrow()).isTrue();
        assertThat(tensor).hasToString("FLOAT32[1] {1.0}");
        tensor.close();
        assertThat(tensor).hasToString("FLOAT32[1]");
        tensor.giveBack();
    }
}

package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.spi.link.MappedPages;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Vector kernels, beyond what {@link FoldKernelTest} asks of all: memory that the loops must not touch, and elements that are not numbers. */
class VectorFoldTest {

    private static final int OPERANDS = 4;
    private static final int COUNT = 1031;

    /** Folds after which the second compiler has come, and then some. */
    private static final int COMPILED = 20_000;

    /** Each pair of these meets. */
    private static final float[] SPECIAL = {
        0f,
        -0f,
        Float.NaN,
        1,
        -1,
        Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY,
        0x1p-24f,
        -0x1p-24f,
        65504f,
        0x1.FEp127f
    };

    private Arena arena;
    private MemorySegment[] memory;

    @BeforeEach
    void allocate() {
        arena = Arena.ofShared();
        memory = new MemorySegment[OPERANDS + 2];
        Arrays.setAll(memory, i -> arena.allocate(COUNT * 8L + 1));
    }

    @AfterEach
    void free() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    static Stream<Arguments> reductions() {
        return Stream.of(DType.values())
                .filter(type -> type != DType.BOOL)
                .flatMap(type -> Stream.of(ReduceOp.values())
                        .filter(op -> op.supports(type))
                        .map(op -> Arguments.of(type, op)));
    }

    static Stream<Arguments> reductionsOfFloats() {
        return reductions().filter(a -> ((DType) a.get()[0]).family() == DType.Family.FLOAT);
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void fold_memoryOnTheHeap_givesTheSameBits(DType type, ReduceOp op) {
        int bytes = COUNT * type.byteSize();
        FoldKernel kernel = Kernels.of(type, op, true);
        new FoldCall(memory, type, op, OPERANDS, 0, COUNT).assertFold(kernel, OPERANDS);
        MemorySegment expected = memory[OPERANDS].asSlice(0, bytes);
        for (int onHeap = 0; onHeap <= OPERANDS; onHeap++) {
            MemorySegment[] operands = Arrays.copyOf(memory, OPERANDS + 1);
            operands[onHeap] =
                    MemorySegment.ofArray(memory[onHeap].asSlice(0, bytes).toArray(JAVA_BYTE));
            kernel.fold(operands[OPERANDS], operands, new boolean[OPERANDS], OPERANDS, COUNT, OPERANDS + 2);

            assertThat(operands[OPERANDS].asSlice(0, bytes).mismatch(expected))
                    .as("memory %d", onHeap)
                    .isEqualTo(-1);
        }
    }

    /** More than a strip of each, so what was brought from the heap for one is written over by the next. */
    @ParameterizedTest
    @CsvSource({"FLOAT32, 2", "FLOAT32, 6", "BFLOAT16, 3", "INT64, 9", "FLOAT16, 4"})
    void fold_longOperandsOnTheHeap_givesTheSameBits(DType type, int operandCount) {
        int count = 3 * StripFold.STRIP + 7;
        int bytes = count * type.byteSize();
        FoldKernel kernel = Kernels.of(type, ReduceOp.SUM, true);
        SplittableRandom random = new SplittableRandom(operandCount);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment[] outside = new MemorySegment[operandCount];
            MemorySegment[] onHeap = new MemorySegment[operandCount];
            for (int i = 0; i < operandCount; i++) {
                outside[i] = arena.allocate(bytes, 64);
                for (int at = 0; at < count; at++) {
                    RawElements.set(outside[i], type, at, RawElements.random(type, random));
                }
                onHeap[i] = i % 3 == 2 ? outside[i] : MemorySegment.ofArray(outside[i].toArray(JAVA_BYTE));
            }
            MemorySegment expected = arena.allocate(bytes, 64);
            MemorySegment actual = arena.allocate(bytes, 64);
            kernel.fold(expected, outside, new boolean[operandCount], operandCount, count, 1);
            kernel.fold(actual, onHeap, new boolean[operandCount], operandCount, count, 1);

            assertThat(actual.mismatch(expected)).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @MethodSource("reductionsOfFloats")
    void fold_specialPairs_matchOracle(DType type, ReduceOp op) {
        for (boolean vectors : new boolean[] {true, false}) {
            FoldKernel kernel = Kernels.of(type, op, vectors);
            fillWithPairs(type);
            kernel.fold(memory[2], memory, new boolean[2], 2, COUNT, 3);
            for (int i = 0; i < COUNT; i++) {
                long[] pair = {RawElements.get(memory[0], type, i), RawElements.get(memory[1], type, i)};
                long expected =
                        FoldOracle.finished(type, op, FoldOracle.accumulated(type, op, pair, new boolean[2]), 3);
                assertThat(FoldOracle.canonical(type, RawElements.get(memory[2], type, i)))
                        .as("pair %d: %x %x", i, pair[0], pair[1])
                        .isEqualTo(FoldOracle.canonical(type, expected));
            }
        }
    }

    private void fillWithPairs(DType type) {
        for (int i = 0; i < COUNT; i++) {
            RawElements.set(memory[0], type, i, RawElements.of(type, SPECIAL[i / SPECIAL.length % SPECIAL.length]));
            RawElements.set(memory[1], type, i, RawElements.of(type, SPECIAL[i % SPECIAL.length]));
        }
    }

    @Test
    void fold_twoKernelsOfOneForm_doNotDisturbEachOther() {
        FoldCall call = new FoldCall(memory, DType.FLOAT16, ReduceOp.SUM, OPERANDS, 0, COUNT);
        FoldKernel other = Kernels.of(DType.FLOAT16, ReduceOp.SUM, true);
        call.assertFold(other, OPERANDS);
        MemorySegment expected =
                MemorySegment.ofArray(memory[OPERANDS].asSlice(0, COUNT * 2L).toArray(JAVA_BYTE));
        call.assertFold(Kernels.of(DType.FLOAT16, ReduceOp.SUM, true), OPERANDS + 1);
        other.fold(memory[OPERANDS], memory, new boolean[OPERANDS], OPERANDS, COUNT, 1);

        assertThat(memory[OPERANDS].asSlice(0, COUNT * 2L).mismatch(expected)).isEqualTo(-1);
    }

    @Test
    void fold_moreRanksThanAnElementHolds_isNoMatterToIntegers() {
        MemorySegment.copy(MemorySegment.ofArray(new byte[] {40, 50}), 0, memory[0], 0, 2);
        MemorySegment.copy(MemorySegment.ofArray(new byte[] {1, 2}), 0, memory[1], 0, 2);

        Kernels.of(DType.INT8, ReduceOp.SUM, true).fold(memory[2], memory, new boolean[2], 2, COUNT, 100_000);

        assertThat(memory[2].asSlice(0, 3).toArray(JAVA_BYTE)).containsExactly(41, 52, 0);
    }

    @Test
    void fold_closedMemory_isRefused() {
        FoldKernel kernel = Kernels.of(DType.FLOAT32, ReduceOp.SUM, true);
        arena.close();

        assertThatIllegalStateException().isThrownBy(() -> kernel.fold(memory[2], memory, new boolean[2], 2, COUNT, 1));
    }

    @Test
    void fold_readOnlyTarget_isRefused() {
        FoldKernel kernel = Kernels.of(DType.FLOAT64, ReduceOp.SUM, true);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> kernel.fold(memory[2].asReadOnly(), memory, new boolean[2], 2, COUNT, 1));
    }

    @Test
    void fold_shortMemory_isRefused() {
        FoldKernel kernel = Kernels.of(DType.BFLOAT16, ReduceOp.SUM, true);
        memory[1] = memory[1].asSlice(0, 2L * COUNT - 1);

        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> kernel.fold(memory[2], memory, new boolean[2], 2, COUNT, 1));
    }

    /** Whoever makes one for each call would have what the collector alone frees add up until it runs. */
    @Test
    void kernelsOfOneBlock_takeNoMemoryOutsideTheHeap() {
        long before = collectedMemories();
        List<FoldKernel> kernels = IntStream.range(0, 100)
                .mapToObj(i -> Kernels.of(DType.FLOAT32, ReduceOp.AVG, true))
                .toList();
        kernels.forEach(kernel -> kernel.fold(memory[OPERANDS], memory, new boolean[OPERANDS], OPERANDS, COUNT, 2));

        assertThat(collectedMemories()).isLessThan(before + kernels.size());
        assertThat(kernels).doesNotContainNull();
    }

    private static long collectedMemories() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getCount)
                .sum();
    }

    /** The JVM does not survive a lost page in loops on vectors, once they are compiled. */
    @Test
    void fold_truncatedFile_isAnError_andNotTheEndOfTheJvm(@TempDir Path directory) throws IOException {
        FoldKernel kernel = Kernels.of(DType.FLOAT32, ReduceOp.SUM, true);
        for (int i = 0; i < COMPILED; i++) {
            kernel.fold(memory[2], memory, new boolean[2], 2, COUNT, 1);
        }
        try (FileChannel file = FileChannel.open(
                directory.resolve("tensor"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            memory[1] = file.map(FileChannel.MapMode.READ_WRITE, 0, COUNT * 8L, arena);
            file.truncate(0);

            assertThatExceptionOfType(InternalError.class).isThrownBy(() -> {
                kernel.fold(memory[2], memory, new boolean[2], 2, COUNT, 1);
                MappedPages.hearOfThem();
            });
        }
    }

    @Test
    void fold_anotherThreadsMemory_isRefused() {
        FoldKernel kernel = Kernels.of(DType.INT64, ReduceOp.BOR, true);
        memory[0] = CompletableFuture.supplyAsync(() -> Arena.ofConfined().allocate(COUNT * 8L))
                .join();

        assertThatExceptionOfType(WrongThreadException.class)
                .isThrownBy(() -> kernel.fold(memory[2], memory, new boolean[2], 2, COUNT, 1));
    }
}

package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.PreMulSum;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.BiConsumer;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kernels of reductions that callers make: what {@link FoldKernelTest} does not ask of every kernel. */
class CallersKernelTest {

    /** Calls after which a kernel is compiled. */
    private static final int COMPILED = 100_000;

    private static final int TRIES = 20;

    private final MemorySegment target = MemorySegment.ofArray(new long[16]);
    private final MemorySegment[] sources = {MemorySegment.ofArray(new long[16]), MemorySegment.ofArray(new long[16])};

    @Test
    void fold_operatorThrows_isAnInvalidCall_andTheKernelStaysUsable() {
        boolean[] isFaulty = {true};
        CustomReduction faulty = CustomReduction.ofFloats("faulty", (a, b) -> {
            if (isFaulty[0]) {
                throw new IllegalStateException("no such pair");
            }
            return a + b;
        });
        FoldKernel kernel = Kernels.of(DType.FLOAT16, faulty);

        assertThatThrownBy(() -> kernel.fold(target, sources, new boolean[2], 2, 10, 1))
                .isInstanceOf(InvalidCallException.class)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessage("a reduction's operator threw: op=custom(faulty), cause=java.lang.IllegalStateException: no"
                        + " such pair; let it give a result for all elements");
        isFaulty[0] = false;
        sources[0].set(JAVA_SHORT_UNALIGNED, 0, Float.floatToFloat16(1));
        sources[1].set(JAVA_SHORT_UNALIGNED, 0, Float.floatToFloat16(2));
        kernel.fold(target, sources, new boolean[2], 2, 1, 1);
        assertThat(Float.float16ToFloat(target.get(JAVA_SHORT_UNALIGNED, 0))).isEqualTo(3);
    }

    /** The pages are read before the operator is called. In compiled code the JVM may throw their fault late, as the operator is called. */
    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8", "INT32", "UINT32"})
    void fold_truncatedFile_isNoErrorOfTheOperator(DType type, @TempDir Path directory) throws IOException {
        FoldKernel kernel = Kernels.of(type, CustomReduction.ofIntegers("sum", Long::sum));
        for (int count : new int[] {1, 64}) {
            requireLostPages(
                    directory, count, (result, operands) -> kernel.fold(result, operands, new boolean[2], 2, count, 1));
            requireLostPages(
                    directory,
                    count,
                    (result, operands) -> kernel.foldPartial(result, operands, new boolean[2], 2, count));
        }
    }

    private static void requireLostPages(Path directory, int count, BiConsumer<MemorySegment, MemorySegment[]> fold)
            throws IOException {
        try (Arena arena = Arena.ofShared();
                FileChannel file = FileChannel.open(
                        directory.resolve("tensor"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            MemorySegment result = arena.allocate(8L * count);
            MemorySegment[] operands = {arena.allocate(8L * count), arena.allocate(8L * count)};
            for (int i = 0; i < COMPILED; i++) {
                fold.accept(result, operands);
            }
            operands[1] = file.map(FileChannel.MapMode.READ_WRITE, 0, 8L * count, arena);
            file.truncate(0);

            for (int i = 0; i < TRIES; i++) {
                assertThatThrownBy(() -> fold.accept(result, operands)).isExactlyInstanceOf(InternalError.class);
            }
        }
    }

    @Test
    void fold_operatorRecursesForEver_isFatal() {
        LongBinaryOperator[] endless = new LongBinaryOperator[1];
        endless[0] = (a, b) -> 1 + endless[0].applyAsLong(a, b);
        FoldKernel kernel = Kernels.of(DType.INT32, CustomReduction.ofIntegers("endless", endless[0]));

        assertThatThrownBy(() -> kernel.foldPartial(target, sources, new boolean[2], 2, 1))
                .isInstanceOf(StackOverflowError.class);
    }

    @Test
    void preMulSum_roundsTheFactorThenTheProductThenTheSum() {
        float[] expected = new float[1];
        float factor = (float) 0.1;
        expected[0] = 3f * factor + 7f * factor;
        sources[0].set(JAVA_INT_UNALIGNED, 0, Float.floatToRawIntBits(3));
        sources[1].set(JAVA_INT_UNALIGNED, 0, Float.floatToRawIntBits(7));

        Kernels.of(DType.FLOAT32, new PreMulSum(0.1)).fold(target, sources, new boolean[2], 2, 1, 9);

        assertThat(Float.intBitsToFloat(target.get(JAVA_INT_UNALIGNED, 0))).isEqualTo(expected[0]);
    }
}

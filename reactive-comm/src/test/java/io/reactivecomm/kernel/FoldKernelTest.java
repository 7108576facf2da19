package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivecomm.BFloat16;
import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tests' JVM has the Vector API, so {@link Kernels#of} gives the vectorised forms, and the plain ones are asked
 * for.
 */
class FoldKernelTest {

    private static final long SEED = 20261101;
    private static final int MAX_SOURCES = 5;
    private static final int STRIP = StripFold.STRIP;
    private static final int[] COUNTS = {0, 1, 7, STRIP - 1, STRIP, STRIP + 1, 4099};

    /** More than two of the stretches between which AVG divides, and a tail of every kind. */
    private static final int LONG_COUNT = 2 * 4096 + 3 * 64 + 17;

    /** Which sources are partial results, a bit for each: none, the first, others, all. */
    private static final int[] PARTIALS = {0, 0b1, 0b10110, 0b11111};

    /** Segments begin at an odd address. */
    private static final long OFFSET = 3;

    /** The byte just past the target. */
    private static final byte GUARD = 0x5A;

    private static Arena arena;
    private static MemorySegment[] memory;

    @BeforeAll
    static void allocate() {
        arena = Arena.ofShared();
        memory = new MemorySegment[MAX_SOURCES + 2];
        Arrays.setAll(
                memory, i -> arena.allocate(OFFSET + LONG_COUNT * 8L + 1, 64).asSlice(OFFSET));
    }

    @AfterAll
    static void free() {
        arena.close();
    }

    /** Not associative, and sensitive to the order and to the rounding of each step. */
    static final CustomReduction FLOATS = CustomReduction.ofFloats("a*0.75-b", (a, b) -> a * 0.75 - b);

    static final CustomReduction INTEGERS = CustomReduction.ofIntegers("3a/2-b", (a, b) -> a * 3 / 2 - b);

    static Stream<Arguments> reductions() {
        Stream<Reduction> others = Stream.of(new PreMulSum(0.3), new PreMulSum(-7), FLOATS, INTEGERS);
        List<Reduction> all = Stream.concat(Stream.of(ReduceOp.values()), others).toList();
        return Stream.of(DType.values())
                .flatMap(type -> all.stream().filter(op -> op.supports(type)).map(op -> Arguments.of(type, op)));
    }

    static Stream<Arguments> vectorisedReductions() {
        return reductions().filter(a -> a.get()[0] == DType.FLOAT32 || a.get()[0] == DType.BFLOAT16);
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void fold_unevenCount_matchesOracle(DType type, Reduction op) {
        assertFoldsMatchOracle(Kernels.of(type, op), type, op);
    }

    @ParameterizedTest
    @MethodSource("vectorisedReductions")
    void fold_withoutVectors_matchesOracle(DType type, Reduction op) {
        assertFoldsMatchOracle(Kernels.of(type, op, false), type, op);
    }

    private static void assertFoldsMatchOracle(FoldKernel kernel, DType type, Reduction op) {
        for (int sourceCount = 1; sourceCount <= MAX_SOURCES; sourceCount++) {
            for (int count : COUNTS) {
                for (int partials : PARTIALS) {
                    Call call = new Call(type, op, sourceCount, partials, count);
                    call.assertFold(kernel, MAX_SOURCES);
                    call.assertFoldPartial(kernel, MAX_SOURCES);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void fold_inPlaceOnEachSource_matchesOracle(DType type, Reduction op) {
        FoldKernel kernel = Kernels.of(type, op);
        boolean isWide = type.accumulator() == type;
        for (int sourceCount : new int[] {2, 3, MAX_SOURCES}) {
            for (int target = 0; target < sourceCount; target++) {
                int onlyTarget = 1 << target;
                int allButTarget = 0b11111 & ~onlyTarget;
                new Call(type, op, sourceCount, isWide ? 0b11111 : allButTarget, LONG_COUNT).assertFold(kernel, target);
                new Call(type, op, sourceCount, isWide ? 0 : onlyTarget, LONG_COUNT).assertFoldPartial(kernel, target);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SUM", "PRODUCT", "MIN", "MAX", "AVG"})
    void fold_oneOperandOnTheHeap_givesTheSameBits(ReduceOp op) {
        int bytes = 4099 * Float.BYTES;
        FoldKernel kernel = Kernels.of(DType.FLOAT32, op, true);
        new Call(DType.FLOAT32, op, 2, 0, 4099).assertFold(kernel, MAX_SOURCES);
        MemorySegment onHeap = MemorySegment.ofArray(memory[1].asSlice(0, bytes).toArray(JAVA_BYTE));

        kernel.fold(memory[MAX_SOURCES + 1], new MemorySegment[] {memory[0], onHeap}, new boolean[2], 2, 4099, 4);

        assertThat(memory[MAX_SOURCES + 1].asSlice(0, bytes).mismatch(memory[MAX_SOURCES].asSlice(0, bytes))).isEqualTo(-1);
    }

    @ParameterizedTest
    @MethodSource("vectorisedReductions")
    void fold_withAndWithoutVectors_givesTheSameBits(DType type, Reduction op) {
        Call call = new Call(type, op, MAX_SOURCES, 0b01010, LONG_COUNT);
        call.assertFold(Kernels.of(type, op, true), MAX_SOURCES);
        call.assertFold(Kernels.of(type, op, false), MAX_SOURCES + 1);

        assertThat(call.read(MAX_SOURCES, type)).isEqualTo(call.read(MAX_SOURCES + 1, type));
    }

    @Test
    void fold_zerosAndNaN_followMathMinAndMax() {
        float[] values = {0f, -0f, Float.NaN, 1, -1, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};
        int pairs = values.length * values.length;
        for (ReduceOp op : new ReduceOp[] {ReduceOp.MIN, ReduceOp.MAX}) {
            float[] expected = new float[2 * pairs];
            for (int i = 0; i < 2 * pairs; i++) {
                float a = values[i / values.length % values.length];
                float b = values[i % values.length];
                memory[0].set(JAVA_INT_UNALIGNED, 4L * i, Float.floatToRawIntBits(a));
                memory[1].set(JAVA_INT_UNALIGNED, 4L * i, Float.floatToRawIntBits(b));
                expected[i] = op == ReduceOp.MIN ? Math.min(a, b) : Math.max(a, b);
            }
            FoldKernel[] kernels = {Kernels.of(DType.FLOAT32, op, true), Kernels.of(DType.FLOAT32, op, false)};
            for (FoldKernel kernel : kernels) {
                kernel.fold(memory[2], memory, new boolean[2], 2, expected.length, 1);
                for (int i = 0; i < expected.length; i++) {
                    float result = Float.intBitsToFloat(memory[2].get(JAVA_INT_UNALIGNED, 4L * i));
                    assertThat(Float.compare(result, expected[i]))
                            .as("%s pair %d", op, i)
                            .isZero();
                }
            }
        }
    }

    @Test
    void fold_bfloat16_roundsAsBFloat16() {
        FoldKernel[] kernels = {
            Kernels.of(DType.BFLOAT16, ReduceOp.SUM, true), Kernels.of(DType.BFLOAT16, ReduceOp.SUM, false)
        };
        int[] lowerHalves = {0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF};
        for (int first = 0; first < 1 << 16; first += STRIP) {
            for (int lower : lowerHalves) {
                for (int i = 0; i < STRIP; i++) {
                    memory[0].set(JAVA_INT_UNALIGNED, 4L * i, ((first + i) << 16) | lower);
                }
                for (FoldKernel kernel : kernels) {
                    kernel.fold(memory[1], memory, new boolean[] {true}, 1, STRIP, 1);
                    for (int i = 0; i < STRIP; i++) {
                        short expected = BFloat16.fromFloatBits(((first + i) << 16) | lower);
                        short actual = memory[1].get(JAVA_SHORT_UNALIGNED, 2L * i);
                        if (actual != expected) {
                            assertThat(actual)
                                    .as("upper %04x lower %04x", first + i, lower)
                                    .isEqualTo(expected);
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void of_unsupportedReduction_isRefused(DType type) {
        for (ReduceOp op : ReduceOp.values()) {
            if (!op.supports(type)) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> Kernels.of(type, op))
                        .withMessageContainingAll("op=" + op, "type=" + type);
            }
        }
    }

    @Test
    void describe_withVectors_saysSo() {
        assertThat(Kernels.describe()).contains("Vector API");
    }

    /** One call on the shared memory: sources 0 to {@code sourceCount} there, filled anew before each fold. */
    private record Call(DType type, Reduction op, int sourceCount, int partials, int count) {

        void assertFold(FoldKernel kernel, int target) {
            int divisor = sourceCount + 2;
            long[] expected = fill();
            Arrays.setAll(expected, i -> FoldOracle.finished(type, op, expected[i], divisor));
            memory[target].set(JAVA_BYTE, (long) count * type.byteSize(), GUARD);
            kernel.fold(memory[target], memory, partial(), sourceCount, count, divisor);
            assertResult(target, type, expected);
        }

        void assertFoldPartial(FoldKernel kernel, int target) {
            long[] expected = fill();
            memory[target].set(JAVA_BYTE, (long) count * type.accumulator().byteSize(), GUARD);
            kernel.foldPartial(memory[target], memory, partial(), sourceCount, count);
            assertResult(target, type.accumulator(), expected);
        }

        private boolean[] partial() {
            boolean[] partial = new boolean[sourceCount];
            for (int s = 0; s < sourceCount; s++) {
                partial[s] = (partials >> s & 1) != 0;
            }
            return partial;
        }

        /** Fills the sources and gives the accumulated bits that are expected of them. */
        private long[] fill() {
            SplittableRandom random = new SplittableRandom(SEED + sourceCount);
            long[] expected = new long[count];
            long[] elements = new long[sourceCount];
            boolean[] partial = partial();
            for (int i = 0; i < count; i++) {
                for (int s = 0; s < sourceCount; s++) {
                    DType stored = partial[s] ? type.accumulator() : type;
                    elements[s] = RawElements.random(stored, random);
                    RawElements.set(memory[s], stored, i, elements[s]);
                }
                expected[i] = FoldOracle.accumulated(type, op, elements, partial);
            }
            return expected;
        }

        long[] read(int from, DType stored) {
            long[] bits = new long[count];
            Arrays.setAll(bits, i -> FoldOracle.canonical(stored, RawElements.get(memory[from], stored, i)));
            return bits;
        }

        private void assertResult(int target, DType stored, long[] expected) {
            Arrays.setAll(expected, i -> FoldOracle.canonical(stored, expected[i]));
            long[] actual = read(target, stored);
            if (!Arrays.equals(actual, expected)) {
                int at = Arrays.mismatch(actual, expected);
                assertThat(Long.toHexString(actual[at]))
                        .as("%s, element %d, target %d, seed %d", this, at, target, SEED)
                        .isEqualTo(Long.toHexString(expected[at]));
            }
            byte guard = memory[target].get(JAVA_BYTE, (long) count * stored.byteSize());
            assertThat(guard).as("%s wrote past its end", this).isEqualTo(GUARD);
        }
    }
}

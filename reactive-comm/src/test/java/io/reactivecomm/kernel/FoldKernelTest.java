package io.reactivecomm.kernel;

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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
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

    private static final int MAX_SOURCES = 6;
    private static final int STRIP = StripFold.STRIP;
    private static final int MOST = 4099;
    private static final int[] COUNTS = {0, 7, STRIP - 1, MOST};
    private static final int[] MORE_COUNTS = {1, 65, STRIP, STRIP + 1};

    /** More than two of the strips between which blocks of operands meet, and a tail of every kind. */
    private static final int LONG_COUNT = 2 * STRIP + 3 * 64 + 17;

    /** Which sources are partial results, a bit for each: none, the first, others, all. */
    private static final int[] PARTIALS = {0, 0b1, 0b110110, 0b111111};

    private static final int ALL = (1 << MAX_SOURCES) - 1;

    /** Segments begin at an odd address. */
    private static final long OFFSET = 3;

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
        List<Reduction> all =
                Stream.concat(Stream.of(ReduceOp.values()), others).toList();
        return Stream.of(DType.values())
                .flatMap(type -> all.stream().filter(op -> op.supports(type)).map(op -> Arguments.of(type, op)));
    }

    static Stream<Arguments> vectorisedReductions() {
        return reductions()
                .filter(a ->
                        a.get()[0] == DType.BFLOAT16 || (a.get()[0] != DType.BOOL && a.get()[1] instanceof ReduceOp));
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void fold_unevenCount_matchesOracle(DType type, Reduction op) {
        assertFoldsMatchOracle(Kernels.of(type, op), type, op, COUNTS);
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("reductions")
    void fold_moreCounts_matchesOracle(DType type, Reduction op) {
        assertFoldsMatchOracle(Kernels.of(type, op), type, op, MORE_COUNTS);
    }

    @ParameterizedTest
    @MethodSource("vectorisedReductions")
    void fold_withoutVectors_matchesOracle(DType type, Reduction op) {
        assertFoldsMatchOracle(Kernels.of(type, op, false), type, op, COUNTS);
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("vectorisedReductions")
    void fold_moreCountsWithoutVectors_matchesOracle(DType type, Reduction op) {
        assertFoldsMatchOracle(Kernels.of(type, op, false), type, op, MORE_COUNTS);
    }

    private static void assertFoldsMatchOracle(FoldKernel kernel, DType type, Reduction op, int... counts) {
        for (int sourceCount = 1; sourceCount <= MAX_SOURCES; sourceCount++) {
            for (int partials : PARTIALS) {
                FoldCall longest = new FoldCall(memory, type, op, sourceCount, partials, MOST);
                long[] accumulated = longest.fill();
                for (int count : counts) {
                    FoldCall call = longest.ofFirst(count);
                    call.assertFold(kernel, MAX_SOURCES, accumulated);
                    call.assertFoldPartial(kernel, MAX_SOURCES, accumulated);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void fold_inPlaceOnEachSource_matchesOracle(DType type, Reduction op) {
        FoldKernel kernel = Kernels.of(type, op);
        boolean isWide = type.accumulator() == type;
        for (int sourceCount = 1; sourceCount <= MAX_SOURCES; sourceCount++) {
            for (int target = 0; target < sourceCount; target++) {
                int onlyTarget = 1 << target;
                int allButTarget = ALL & ~onlyTarget;
                new FoldCall(memory, type, op, sourceCount, isWide ? ALL : allButTarget, LONG_COUNT)
                        .assertFold(kernel, target);
                new FoldCall(memory, type, op, sourceCount, isWide ? 0 : onlyTarget, LONG_COUNT)
                        .assertFoldPartial(kernel, target);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("vectorisedReductions")
    void fold_withAndWithoutVectors_givesTheSameBits(DType type, Reduction op) {
        FoldCall call = new FoldCall(memory, type, op, MAX_SOURCES, 0b001010, LONG_COUNT);
        call.assertFold(Kernels.of(type, op, true), MAX_SOURCES);
        call.assertFold(Kernels.of(type, op, false), MAX_SOURCES + 1);

        assertThat(call.read(MAX_SOURCES, type)).isEqualTo(call.read(MAX_SOURCES + 1, type));
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
}

package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Reduction;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * One call of a kernel on shared memory: sources 0 to {@code sourceCount} there, filled anew before each fold or once for several, and
 * expectations from the {@link FoldOracle}.
 *
 * @param partials which sources are partial results, a bit for each
 */
record FoldCall(MemorySegment[] memory, DType type, Reduction op, int sourceCount, int partials, int count) {

    static final long SEED = 20261101;

    /** The byte just past the target. */
    private static final byte GUARD = 0x5A;

    /** {@return the same call of fewer elements} */
    FoldCall ofFirst(int elements) {
        return new FoldCall(memory, type, op, sourceCount, partials, elements);
    }

    void assertFold(FoldKernel kernel, int target) {
        assertFold(kernel, target, fill());
    }

    /** @param accumulated what {@link #fill} gave, of these sources or of longer ones */
    void assertFold(FoldKernel kernel, int target, long[] accumulated) {
        int divisor = sourceCount + 2;
        long[] expected = Arrays.copyOf(accumulated, count);
        Arrays.setAll(expected, i -> FoldOracle.finished(type, op, expected[i], divisor));
        memory[target].set(JAVA_BYTE, (long) count * type.byteSize(), GUARD);
        kernel.fold(memory[target], memory, partial(), sourceCount, count, divisor);
        assertResult(target, type, expected);
    }

    void assertFoldPartial(FoldKernel kernel, int target) {
        assertFoldPartial(kernel, target, fill());
    }

    /** @param accumulated what {@link #fill} gave, of these sources or of longer ones */
    void assertFoldPartial(FoldKernel kernel, int target, long[] accumulated) {
        long[] expected = Arrays.copyOf(accumulated, count);
        memory[target].set(JAVA_BYTE, (long) count * type.accumulator().byteSize(), GUARD);
        kernel.foldPartial(memory[target], memory, partial(), sourceCount, count);
        assertResult(target, type.accumulator(), expected);
    }

    boolean[] partial() {
        boolean[] partial = new boolean[sourceCount];
        for (int s = 0; s < sourceCount; s++) {
            partial[s] = (partials >> s & 1) != 0;
        }
        return partial;
    }

    /** Fills the sources and gives the accumulated bits that are expected of them. */
    long[] fill() {
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
                    .as("%s, element %d, target %d, seed %d", label(), at, target, SEED)
                    .isEqualTo(Long.toHexString(expected[at]));
        }
        byte guard = memory[target].get(JAVA_BYTE, (long) count * stored.byteSize());
        assertThat(guard).as("%s wrote past its end", label()).isEqualTo(GUARD);
    }

    private String label() {
        return op.label() + " of " + sourceCount + " " + type + ", partials=" + Integer.toBinaryString(partials)
                + ", count=" + count;
    }
}

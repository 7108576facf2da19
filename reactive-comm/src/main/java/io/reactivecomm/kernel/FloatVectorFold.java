package io.reactivecomm.kernel;

import io.reactivecomm.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The fold of FLOAT32 with the Vector API, straight on the segments.
 *
 * <p>Anatomy: loops over two operands, one vector a turn, which the compiler unrolls; more operands are folded from the left a strip at a
 * time, in a scratch that stays in the first cache, and only the last of them writes the target. AVG divides a strip while it is there. A
 * loop for each operation, because the Vector API is fast only where the operation is a constant to the compiler. What is left, less than
 * a vector, goes the way of the plain strips.
 *
 * <p><b>Memory outside the heap only.</b> Where a loop has once met a segment over an array, the compiler checks and keeps apart both
 * kinds at each access, and every fold takes three times as long from then on. Operands on the heap, which are small tensors that came
 * early, go the way of the plain strips too.
 *
 * <p>The lanes' additions, multiplications, divisions, minima and maxima are those of Java's scalars, so the results
 * are the bits of {@link StripFold}'s. A partial result of FLOAT32 is an element like any other. Loaded only where the module
 * {@code jdk.incubator.vector} is.
 */
final class FloatVectorFold implements FoldKernel {

    private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final int LANES = SPECIES.length();
    private static final long VECTOR_BYTES = SPECIES.vectorByteSize();

    /** Bytes of a strip: with those of an operand and the target half of a usual first cache, and a multiple of any vector. */
    private static final long STRIP_BYTES = 8 << 10;

    private final ReduceOp op;
    private final StripFold<float[]> rest;
    private final MemorySegment scratch = Arena.ofAuto().allocate(STRIP_BYTES, VECTOR_BYTES);

    FloatVectorFold(ReduceOp op, StripFold<float[]> rest) {
        this.op = op;
        this.rest = rest;
    }

    /** {@return the width in use, for a log line} */
    static String describe() {
        return SPECIES.vectorBitSize() + "-bit vectors of " + LANES;
    }

    @Override
    public void fold(
            MemorySegment target,
            MemorySegment[] sources,
            boolean[] partial,
            int sourceCount,
            long count,
            int divisor) {
        long whole = wholeVectors(target, sources, sourceCount, count);
        if (op == ReduceOp.AVG) {
            average(target, sources, sourceCount, whole * Float.BYTES, divisor);
        } else {
            combine(target, sources, sourceCount, whole * Float.BYTES);
        }
        rest.foldRange(target, sources, partial, sourceCount, whole, count, divisor);
    }

    @Override
    public void foldPartial(
            MemorySegment target, MemorySegment[] sources, boolean[] partial, int sourceCount, long count) {
        long whole = wholeVectors(target, sources, sourceCount, count);
        combine(target, sources, sourceCount, whole * Float.BYTES);
        rest.foldRange(target, sources, partial, sourceCount, whole, count, 1);
    }

    /** {@return how many elements vectors take: none if an operand is on the heap} */
    private static long wholeVectors(MemorySegment target, MemorySegment[] sources, int sourceCount, long count) {
        boolean outside = target.isNative() && sourceCount > 1;
        for (int i = 0; i < sourceCount; i++) {
            outside &= sources[i].isNative();
        }
        return outside ? count - count % LANES : 0;
    }

    private void average(MemorySegment target, MemorySegment[] sources, int sourceCount, long bytes, float divisor) {
        for (long from = 0; from < bytes; from += STRIP_BYTES) {
            long to = Math.min(from + STRIP_BYTES, bytes);
            strip(target, sources, sourceCount, from, to);
            divide(target, divisor, from, to);
        }
    }

    private void combine(MemorySegment target, MemorySegment[] sources, int sourceCount, long bytes) {
        // Two operands need no scratch, and one loop over all of them is unrolled best.
        long step = sourceCount == 2 ? bytes : STRIP_BYTES;
        for (long from = 0; from < bytes; from += step) {
            strip(target, sources, sourceCount, from, Math.min(from + step, bytes));
        }
    }

    /** Folds the bytes of a strip; the target may be the memory of any source, so it is written last. */
    private void strip(MemorySegment target, MemorySegment[] sources, int sourceCount, long from, long to) {
        if (sourceCount == 2) {
            pair(target, sources[0], sources[1], from, to);
            return;
        }
        long bytes = to - from;
        pair(scratch, sources[0].asSlice(from), sources[1].asSlice(from), 0, bytes);
        for (int s = 2; s < sourceCount - 1; s++) {
            pair(scratch, scratch, sources[s].asSlice(from), 0, bytes);
        }
        pair(target.asSlice(from), scratch, sources[sourceCount - 1].asSlice(from), 0, bytes);
    }

    private void pair(MemorySegment target, MemorySegment left, MemorySegment right, long from, long to) {
        switch (op) {
            case SUM, AVG -> sum(target, left, right, from, to);
            case PRODUCT -> product(target, left, right, from, to);
            case MIN -> min(target, left, right, from, to);
            case MAX -> max(target, left, right, from, to);
            case BAND, BOR, BXOR -> throw new AssertionError("a floating-point type has no " + op);
        }
    }

    private static void sum(MemorySegment target, MemorySegment left, MemorySegment right, long from, long to) {
        for (long at = from; at < to; at += VECTOR_BYTES) {
            store(load(left, at).add(load(right, at)), target, at);
        }
    }

    private static void product(MemorySegment target, MemorySegment left, MemorySegment right, long from, long to) {
        for (long at = from; at < to; at += VECTOR_BYTES) {
            store(load(left, at).mul(load(right, at)), target, at);
        }
    }

    private static void min(MemorySegment target, MemorySegment left, MemorySegment right, long from, long to) {
        for (long at = from; at < to; at += VECTOR_BYTES) {
            store(load(left, at).min(load(right, at)), target, at);
        }
    }

    private static void max(MemorySegment target, MemorySegment left, MemorySegment right, long from, long to) {
        for (long at = from; at < to; at += VECTOR_BYTES) {
            store(load(left, at).max(load(right, at)), target, at);
        }
    }

    private static void divide(MemorySegment target, float divisor, long from, long to) {
        for (long at = from; at < to; at += VECTOR_BYTES) {
            store(load(target, at).div(divisor), target, at);
        }
    }

    private static FloatVector load(MemorySegment source, long at) {
        return FloatVector.fromMemorySegment(SPECIES, source, at, ORDER);
    }

    private static void store(FloatVector vector, MemorySegment target, long at) {
        vector.intoMemorySegment(target, at, ORDER);
    }
}

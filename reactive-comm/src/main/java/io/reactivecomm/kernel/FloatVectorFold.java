package io.reactivecomm.kernel;

import io.reactivecomm.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The fold of FLOAT32 with the Vector API, straight on the segments: one pass for any number of sources.
 *
 * <p>Anatomy: a body of blocks of four vectors, whose four independent chains hide the latency of an addition; then
 * what is left, less than a block, as plain strips. AVG divides a strip while it is still in the first cache. A loop
 * for each operation, because the Vector API is fast only where the operation is a constant to the compiler.
 *
 * <p>The lanes' additions, multiplications, divisions, minima and maxima are those of Java's scalars, so the results
 * are the bits of {@link StripFold}'s. A partial result of FLOAT32 is an element like any other. Loaded only where the module
 * {@code jdk.incubator.vector} is.
 */
final class FloatVectorFold implements FoldKernel {

    private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final int LANES = SPECIES.length();
    private static final int BLOCK = 4 * LANES;

    private static final long VECTOR_BYTES = SPECIES.vectorByteSize();
    private static final long BLOCK_BYTES = 4 * VECTOR_BYTES;

    /** Elements between two divisions of AVG: 16 KiB, which is a multiple of any block. */
    private static final long AVERAGED = 4096;

    private final ReduceOp op;
    private final StripFold<float[]> rest;

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
        long body = count - count % BLOCK;
        if (op == ReduceOp.AVG) {
            average(target, sources, sourceCount, body, divisor);
        } else {
            combine(target, sources, sourceCount, 0, body);
        }
        rest.foldRange(target, sources, partial, sourceCount, body, count, divisor);
    }

    @Override
    public void foldPartial(
            MemorySegment target, MemorySegment[] sources, boolean[] partial, int sourceCount, long count) {
        long body = count - count % BLOCK;
        combine(target, sources, sourceCount, 0, body);
        rest.foldRange(target, sources, partial, sourceCount, body, count, 1);
    }

    private void average(MemorySegment target, MemorySegment[] sources, int sourceCount, long count, int divisor) {
        for (long from = 0; from < count; from += AVERAGED) {
            long to = Math.min(from + AVERAGED, count);
            combine(target, sources, sourceCount, from, to);
            divide(target, divisor, from * Float.BYTES, to * Float.BYTES);
        }
    }

    private void combine(MemorySegment target, MemorySegment[] sources, int sourceCount, long from, long to) {
        long at = from * Float.BYTES;
        long end = to * Float.BYTES;
        switch (op) {
            case SUM, AVG -> sum(target, sources, sourceCount, at, end);
            case PRODUCT -> product(target, sources, sourceCount, at, end);
            case MIN -> min(target, sources, sourceCount, at, end);
            case MAX -> max(target, sources, sourceCount, at, end);
            case BAND, BOR, BXOR -> throw new AssertionError("a floating-point type has no " + op);
        }
    }

    private static void sum(MemorySegment target, MemorySegment[] sources, int sourceCount, long from, long to) {
        MemorySegment first = sources[0];
        for (long at = from; at < to; at += BLOCK_BYTES) {
            FloatVector a = load(first, at);
            FloatVector b = load(first, at + VECTOR_BYTES);
            FloatVector c = load(first, at + 2 * VECTOR_BYTES);
            FloatVector d = load(first, at + 3 * VECTOR_BYTES);
            for (int s = 1; s < sourceCount; s++) {
                MemorySegment source = sources[s];
                a = a.add(load(source, at));
                b = b.add(load(source, at + VECTOR_BYTES));
                c = c.add(load(source, at + 2 * VECTOR_BYTES));
                d = d.add(load(source, at + 3 * VECTOR_BYTES));
            }
            store(a, target, at);
            store(b, target, at + VECTOR_BYTES);
            store(c, target, at + 2 * VECTOR_BYTES);
            store(d, target, at + 3 * VECTOR_BYTES);
        }
    }

    private static void product(MemorySegment target, MemorySegment[] sources, int sourceCount, long from, long to) {
        MemorySegment first = sources[0];
        for (long at = from; at < to; at += BLOCK_BYTES) {
            FloatVector a = load(first, at);
            FloatVector b = load(first, at + VECTOR_BYTES);
            FloatVector c = load(first, at + 2 * VECTOR_BYTES);
            FloatVector d = load(first, at + 3 * VECTOR_BYTES);
            for (int s = 1; s < sourceCount; s++) {
                MemorySegment source = sources[s];
                a = a.mul(load(source, at));
                b = b.mul(load(source, at + VECTOR_BYTES));
                c = c.mul(load(source, at + 2 * VECTOR_BYTES));
                d = d.mul(load(source, at + 3 * VECTOR_BYTES));
            }
            store(a, target, at);
            store(b, target, at + VECTOR_BYTES);
            store(c, target, at + 2 * VECTOR_BYTES);
            store(d, target, at + 3 * VECTOR_BYTES);
        }
    }

    private static void min(MemorySegment target, MemorySegment[] sources, int sourceCount, long from, long to) {
        MemorySegment first = sources[0];
        for (long at = from; at < to; at += BLOCK_BYTES) {
            FloatVector a = load(first, at);
            FloatVector b = load(first, at + VECTOR_BYTES);
            FloatVector c = load(first, at + 2 * VECTOR_BYTES);
            FloatVector d = load(first, at + 3 * VECTOR_BYTES);
            for (int s = 1; s < sourceCount; s++) {
                MemorySegment source = sources[s];
                a = a.min(load(source, at));
                b = b.min(load(source, at + VECTOR_BYTES));
                c = c.min(load(source, at + 2 * VECTOR_BYTES));
                d = d.min(load(source, at + 3 * VECTOR_BYTES));
            }
            store(a, target, at);
            store(b, target, at + VECTOR_BYTES);
            store(c, target, at + 2 * VECTOR_BYTES);
            store(d, target, at + 3 * VECTOR_BYTES);
        }
    }

    private static void max(MemorySegment target, MemorySegment[] sources, int sourceCount, long from, long to) {
        MemorySegment first = sources[0];
        for (long at = from; at < to; at += BLOCK_BYTES) {
            FloatVector a = load(first, at);
            FloatVector b = load(first, at + VECTOR_BYTES);
            FloatVector c = load(first, at + 2 * VECTOR_BYTES);
            FloatVector d = load(first, at + 3 * VECTOR_BYTES);
            for (int s = 1; s < sourceCount; s++) {
                MemorySegment source = sources[s];
                a = a.max(load(source, at));
                b = b.max(load(source, at + VECTOR_BYTES));
                c = c.max(load(source, at + 2 * VECTOR_BYTES));
                d = d.max(load(source, at + 3 * VECTOR_BYTES));
            }
            store(a, target, at);
            store(b, target, at + VECTOR_BYTES);
            store(c, target, at + 2 * VECTOR_BYTES);
            store(d, target, at + 3 * VECTOR_BYTES);
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

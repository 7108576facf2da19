package io.reactivecomm.kernel;

import java.lang.foreign.MemorySegment;

/**
 * A fold that works on strips: copies a strip of each source into heap arrays, combines there, writes the strip back.
 *
 * <p>The copies pay: C2 vectorises loops over arrays and leaves loops over segments scalar, and a strip's arrays stay
 * in the first cache. Calls through {@link StripLanes} and {@link Arithmetic} are made once a strip and source, none an
 * element. All sources of a strip are read before it is written, so the target may be any one of them.
 *
 * @param <A> the array type of the accumulator
 */
final class StripFold<A> implements FoldKernel {

    /** Elements of a strip: two strips of 8-byte numbers take 32 KiB of the first cache. */
    static final int STRIP = 2048;

    private final StripLanes<A> elements;
    private final StripLanes<A> partials;
    private final Arithmetic<A> arithmetic;
    private final A accumulated;
    private final A operand;

    /**
     * Makes a fold.
     *
     * @param elements the lanes of the type
     * @param partials the lanes of its accumulator type
     * @param accumulated scratch of {@link #STRIP} numbers
     * @param operand scratch of {@link #STRIP} numbers
     */
    StripFold(StripLanes<A> elements, StripLanes<A> partials, Arithmetic<A> arithmetic, A accumulated, A operand) {
        this.elements = elements;
        this.partials = partials;
        this.arithmetic = arithmetic;
        this.accumulated = accumulated;
        this.operand = operand;
    }

    @Override
    public void fold(
            MemorySegment target,
            MemorySegment[] sources,
            boolean[] partial,
            int sourceCount,
            long count,
            int divisor) {
        foldRange(target, sources, partial, sourceCount, 0, count, divisor);
    }

    /** As {@link #fold}, for the elements from {@code from} to before {@code to}. */
    void foldRange(
            MemorySegment target,
            MemorySegment[] sources,
            boolean[] partial,
            int sourceCount,
            long from,
            long to,
            int divisor) {
        for (long at = from; at < to; at += STRIP) {
            int n = (int) Math.min(STRIP, to - at);
            accumulate(sources, partial, sourceCount, at, n);
            arithmetic.finish(accumulated, divisor, n);
            elements.write(accumulated, target, at, n);
        }
    }

    @Override
    public void foldPartial(
            MemorySegment target, MemorySegment[] sources, boolean[] partial, int sourceCount, long count) {
        foldPartialRange(target, sources, partial, sourceCount, 0, count);
    }

    /** As {@link #foldPartial}, for the elements from {@code from} to before {@code to}. */
    void foldPartialRange(
            MemorySegment target, MemorySegment[] sources, boolean[] partial, int sourceCount, long from, long to) {
        for (long at = from; at < to; at += STRIP) {
            int n = (int) Math.min(STRIP, to - at);
            accumulate(sources, partial, sourceCount, at, n);
            partials.write(accumulated, target, at, n);
        }
    }

    private void accumulate(MemorySegment[] sources, boolean[] partial, int sourceCount, long at, int n) {
        read(sources[0], partial[0], at, accumulated, n);
        for (int s = 1; s < sourceCount; s++) {
            read(sources[s], partial[s], at, operand, n);
            arithmetic.combine(accumulated, operand, n);
        }
    }

    private void read(MemorySegment source, boolean isPartial, long at, A into, int n) {
        if (isPartial) {
            partials.read(source, at, into, n);
        } else {
            elements.read(source, at, into, n);
            arithmetic.prepare(into, n);
        }
    }
}

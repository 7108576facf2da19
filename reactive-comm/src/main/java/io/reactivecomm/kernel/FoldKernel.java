package io.reactivecomm.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Combines several sources into one target, element by element, from the left and with one rounding a step.
 *
 * <p>For element i the result is {@code finish(((s0[i] op s1[i]) op s2[i]) …)}. All arithmetic happens in the type's
 * {@link io.reactivecomm.DType#accumulator() accumulator}; only {@code finish} rounds to the element type.
 *
 * <p><b>In place.</b> The target may be the very memory of one source (same address, same element width), never a shifted overlap.
 *
 * <p><b>Threads.</b> An instance owns scratch strips: one thread at a time. Each engine has its own.
 */
public interface FoldKernel {

    /**
     * Folds into elements of the type itself.
     *
     * @param target where the results go, {@code count} elements of the type
     * @param sources the sources in fold order; only the first {@code sourceCount} are read
     * @param firstIsPartial whether {@code sources[0]} holds accumulator elements (a partial result) instead of elements of the type
     * @param count elements to fold
     * @param divisor for AVG the group's size, by which the accumulated value is divided once; otherwise ignored
     */
    void fold(MemorySegment target, MemorySegment[] sources, int sourceCount, boolean firstIsPartial, long count, int divisor);

    /** As {@link #fold}, but leaves the unrounded, undivided accumulator elements in {@code target}. */
    void foldPartial(MemorySegment target, MemorySegment[] sources, int sourceCount, boolean firstIsPartial, long count);
}

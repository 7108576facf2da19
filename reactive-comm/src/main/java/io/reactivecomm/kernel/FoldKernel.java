package io.reactivecomm.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Combines several sources into one target, element by element, from the left and with one rounding a step.
 *
 * <p>For element i the result is {@code finish(((s0[i] op s1[i]) op s2[i]) …)}. All arithmetic happens in the type's
 * {@link io.reactivecomm.DType#accumulator() accumulator}; only {@code finish} rounds to the element type. Each source holds either
 * elements of the type or accumulator elements, which are partial results of earlier folds.
 *
 * <p><b>Errors.</b> {@link io.reactivecomm.InvalidCallException} if a caller's own operator throws; the target is unspecified then, the
 * kernel is not.
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
     * @param sources the sources in fold order
     * @param partial for each source whether it holds accumulator elements (a partial result) instead of elements of the type
     * @param sourceCount how many sources there are; what comes after them is not read
     * @param count elements to fold
     * @param divisor for AVG the group's size, by which the accumulated value is divided once; otherwise ignored
     */
    void fold(
            MemorySegment target, MemorySegment[] sources, boolean[] partial, int sourceCount, long count, int divisor);

    /** As {@link #fold}, but leaves the unrounded, undivided accumulator elements in {@code target}. */
    void foldPartial(MemorySegment target, MemorySegment[] sources, boolean[] partial, int sourceCount, long count);
}

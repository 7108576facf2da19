package io.reactivecomm.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Straight loops over whole memories outside the heap, given by their addresses: the first {@code count} elements of all operands, from the
 * left, in one pass.
 *
 * <p>A loop for each number of operands, so that what is between the operands stays in registers: four ranks cost one pass over memory.
 * The count is a multiple of {@link VectorFold#GRAIN}. What a loop does to the elements is its {@link FoldForm}. The target may be the
 * very memory of any operand of the same element width: of each turn, or strip, all operands are read before it is written.
 *
 * <p><b>Why addresses.</b> The compiler learns what kind of segment an access meets from all accesses of the JVM together, a program's own
 * too. Once one was over an array, or over a mapped file, it checks each access for either. A loop over segments then took 3 to 10 times
 * as long, and one that the compiler had to vectorise by itself 60 times. That was for as long as the JVM lived. {@link #MEMORY} is of one
 * kind, and a constant. Nothing is checked here; {@link VectorFold} has looked at every segment.
 */
interface FoldLoops {

    /** All memory of the process; an offset is an address. */
    MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    void one(long target, long a, long count, int divisor);

    void two(long target, long a, long b, long count, int divisor);

    void three(long target, long a, long b, long c, long count, int divisor);

    void four(long target, long a, long b, long c, long d, long count, int divisor);
}

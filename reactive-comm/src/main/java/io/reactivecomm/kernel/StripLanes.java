package io.reactivecomm.kernel;

import java.lang.foreign.MemorySegment;

/**
 * The conversion of elements of one type in memory to numbers in a heap array and back. An instance may own a strip of scratch.
 *
 * @param <A> the array that holds the numbers
 */
public interface StripLanes<A> {

    /** The most elements that are read or written at once. */
    int STRIP = StripFold.STRIP;

    /**
     * Reads elements {@code from} to {@code from + n} of the source into the first {@code n} places; {@code n} is at
     * most a strip.
     */
    void read(MemorySegment source, long from, A into, int n);

    /**
     * Writes the first {@code n} numbers, rounded or wrapped to the type, as elements {@code from} to {@code from + n}.
     */
    void write(A numbers, MemorySegment target, long from, int n);
}

package io.reactivecomm.internal.schedule;

/**
 * A run of elements in one of the call's memories.
 *
 * @param from first element
 * @param count elements
 */
public record Span(Buffer buffer, long from, long count) {

    /** {@return one of so many slices of it, as even as can be; longer ones first} */
    public Span slice(int index, int slices) {
        long first = evenFrom(count, slices, index);
        return new Span(buffer, from + first, evenFrom(count, slices, index + 1) - first);
    }

    /** {@return the first element of a slice when that many elements are cut as evenly as can be} */
    private static long evenFrom(long total, int slices, int index) {
        return index * (total / slices) + Math.min(index, total % slices);
    }
}

package io.reactivecomm.schedule;

/**
 * What an algorithm needs to know to lay out one rank's part.
 *
 * @param count elements, as the operation's signature counts them
 * @param rank the rank whose part is laid out
 * @param size ranks in the group
 * @param root the root, or −1
 */
public record Place(long count, int rank, int size, int root) {

    /** {@return the first element of a rank's chunk when the elements are shared out as evenly as can be} */
    long chunkFrom(int rank) {
        long share = count / size;
        long rest = count % size;
        return rank * share + Math.min(rank, rest);
    }

    /** {@return the elements of a rank's chunk} */
    long chunkCount(int rank) {
        return chunkFrom(rank + 1) - chunkFrom(rank);
    }

    Span chunk(Buffer buffer, int rank) {
        return new Span(buffer, chunkFrom(rank), chunkCount(rank));
    }

    Span whole(Buffer buffer) {
        return new Span(buffer, 0, count);
    }

    /** {@return part {@code index} of a buffer that holds one part of {@code count} elements for each rank} */
    Span part(Buffer buffer, int index) {
        return new Span(buffer, index * count, count);
    }
}

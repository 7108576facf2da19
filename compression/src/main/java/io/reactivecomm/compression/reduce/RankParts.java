package io.reactivecomm.compression.reduce;

/**
 * The cut of elements into one part for each rank.
 *
 * @param count of the elements
 * @param ranks of the group
 */
record RankParts(long count, int ranks) {

    /** Parts of so many elements begin on whole bytes in all codecs. */
    private static final int ELEMENTS_OF_WHOLE_BYTES = 8;

    /** {@return the elements with padding: parts are equal, and whole bytes} */
    long padded() {
        long multiple = (long) ELEMENTS_OF_WHOLE_BYTES * ranks;
        return Math.multiplyExact(Math.ceilDiv(count, multiple), multiple);
    }

    /** {@return the elements of each rank's part} */
    long part() {
        return padded() / ranks;
    }
}

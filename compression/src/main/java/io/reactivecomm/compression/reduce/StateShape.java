package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;

/**
 * The elements whose state is kept under a name. State of others is refused.
 *
 * @param codec the label of what encodes them
 * @param type of the elements
 * @param count of the elements
 * @param ranks of the group
 * @param rank this one's in it
 */
record StateShape(String codec, DType type, long count, int ranks, int rank) {

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

    /** {@return whether it is the same but for the ranks} */
    boolean isOfSameElements(StateShape other) {
        return codec.equals(other.codec) && type == other.type && count == other.count;
    }

    @Override
    public String toString() {
        return codec + ", " + type + " × " + count + ", rank " + rank + " of " + ranks;
    }
}

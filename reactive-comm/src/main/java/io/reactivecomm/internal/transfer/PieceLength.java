package io.reactivecomm.internal.transfer;

/** The length of pieces in which a step deals with its elements. */
public final class PieceLength {

    /** Below this a frame, a grant and a fold's beginning cost more than its bytes. */
    public static final int LEAST_BYTES = 32 << 10;

    private PieceLength() {}

    /**
     * {@return the elements of a piece}
     *
     * @param wished what the schedule would have, if that is less, or 0
     * @param elementBytes the width of the widest that it moves
     * @param usualBytes the usual length
     */
    static long elements(long wished, int elementBytes, long usualBytes) {
        long usual = Math.max(1, usualBytes / elementBytes);
        long least = Math.min(usual, LEAST_BYTES / elementBytes);
        return wished == 0 ? usual : Math.clamp(wished, least, usual);
    }
}

package io.reactivecomm.internal.driver;

/**
 * The highest rate at which bytes came, of those seen in the last eight to sixteen round trips for which much was asked.
 *
 * <p>A lower one says that the way gives less only if enough was asked for. So round trips in which the program wanted little do not count, and a
 * program that pauses finds its rate again. Owned by the loop.
 */
final class MostRate {

    /** As many as BBR's between two probes. */
    static final int ROUNDS = 8;

    private double before;
    private double current;
    private int rounds;
    private long roundEndsAtBytes;

    /**
     * A rate was seen.
     *
     * @param wasMuchAsked whether it is the way that gives no more
     * @param cameBefore the bytes that had come when the piece was asked for by which it was seen
     * @param came those that have come now
     */
    void saw(double bytesPerNano, boolean wasMuchAsked, long cameBefore, long came) {
        if (wasMuchAsked && cameBefore >= roundEndsAtBytes) {
            roundEndsAtBytes = came;
            rounds++;
        }
        if (rounds == ROUNDS) {
            before = current;
            current = 0;
            rounds = 0;
        }
        current = Math.max(current, bytesPerNano);
    }

    /** {@return the highest, in bytes a nanosecond} */
    double bytesPerNano() {
        return Math.max(before, current);
    }
}

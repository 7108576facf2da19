package io.reactivecomm.spark;

/**
 * The failure of a rank of a {@link SparkWorld}, thrown on the driver. Its cause is what the program threw on the executor, or an exception with the text and the
 * stack of that if it could not be serialized.
 *
 * <p>Where several ranks failed, the cause is the one that made the others fail: an exception that is not a {@link io.reactivecomm.CommException} comes before
 * those that are, and then a lower rank before a higher one.
 */
public final class SparkRankException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int rank;

    SparkRankException(String message, int rank, Throwable cause) {
        super(message, cause);
        this.rank = rank;
    }

    /** {@return the rank that failed} */
    public int rank() {
        return rank;
    }
}

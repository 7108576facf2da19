package io.reactivecomm.compression.reduce;

import io.reactivecomm.InvalidCallException;

/**
 * The choices of PowerSGD; the same on all ranks, which compare them.
 *
 * @param rank of the approximation: how many columns the two factors of a matrix have, at most as many as the matrix has rows and columns
 * @param startStep the first step of each name that is compressed; those before it are plain all-reduces
 * @param leastRate how many times fewer elements the factors must have than their matrix. Matrices that miss it go uncompressed
 * @param warmStart whether a step begins with the second factor of the step before, which makes one iteration of the power method enough. Otherwise it is drawn anew
 * @param feedsBack whether what the factors have lost is added to the next step's elements. Without that, a rank this low does not converge
 * @param seed of the factors that are drawn
 */
public record PowerSgdOptions(
        int rank, long startStep, double leastRate, boolean warmStart, boolean feedsBack, long seed) {

    /** The rank with which the paper's networks lose no accuracy. */
    public static final int DEFAULT_RANK = 1;

    /** Early gradients change too much for so few numbers: torch's start_powerSGD_iter. */
    public static final long DEFAULT_START_STEP = 1000;

    /** Three calls take the place of one: what saves less than half of the elements is not worth them. torch's min_compression_rate. */
    public static final double DEFAULT_LEAST_RATE = 2;

    /** The usual choices. */
    public static final PowerSgdOptions DEFAULT =
            new PowerSgdOptions(DEFAULT_RANK, DEFAULT_START_STEP, DEFAULT_LEAST_RATE, true, true, 0);

    public PowerSgdOptions {
        if (rank < 1 || startStep < 0 || !(leastRate > 0)) {
            throw new InvalidCallException(
                    "no such PowerSGD: rank=" + rank + ", startStep=" + startStep + ", leastRate=" + leastRate
                            + "; give a rank of 1 or more, a step of 0 or more and a rate above 0");
        }
    }

    public PowerSgdOptions withRank(int value) {
        return new PowerSgdOptions(value, startStep, leastRate, warmStart, feedsBack, seed);
    }

    public PowerSgdOptions withStartStep(long step) {
        return new PowerSgdOptions(rank, step, leastRate, warmStart, feedsBack, seed);
    }

    public PowerSgdOptions withLeastRate(double value) {
        return new PowerSgdOptions(rank, startStep, value, warmStart, feedsBack, seed);
    }

    public PowerSgdOptions withWarmStart(boolean value) {
        return new PowerSgdOptions(rank, startStep, leastRate, value, feedsBack, seed);
    }

    public PowerSgdOptions withFeedback(boolean value) {
        return new PowerSgdOptions(rank, startStep, leastRate, warmStart, value, seed);
    }

    public PowerSgdOptions withSeed(long value) {
        return new PowerSgdOptions(rank, startStep, leastRate, warmStart, feedsBack, value);
    }

    /** {@return what ranks must have in common} */
    String label() {
        return "PowerSGD(rank=" + rank + ", leastRate=" + leastRate + ", seed=" + seed + ")"
                + (warmStart ? "" : " without warm start") + (feedsBack ? "" : " without feedback")
                + (startStep == 0 ? "" : " after " + startStep);
    }
}

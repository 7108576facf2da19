package io.reactivecomm.samples.programs.codec;

import io.reactivecomm.compression.Threshold;
import io.reactivecomm.compression.reduce.PowerSgdOptions;

/**
 * The settings of codecs that have some, and of all reductions.
 *
 * @param density the share of elements that top-k keeps
 * @param tau the first threshold
 * @param rank of PowerSGD's factors
 * @param warmUpSteps how many steps go uncompressed first
 * @param feedsBack whether what a step loses is added to the next
 */
public record CodecSettings(double density, double tau, int rank, long warmUpSteps, boolean feedsBack) {

    /** One element of a hundred: what error feedback makes up for in a training of some hundred steps. */
    public static final double DEFAULT_DENSITY = 0.01;

    /** Gradients are summed up over a batch here, so they are larger than the means for which {@link Threshold#INITIAL_TAU} is made. */
    public static final double DEFAULT_TAU = 0.1;

    /** Those of who chooses none: compressed from the first step on. */
    public static final CodecSettings DEFAULT =
            new CodecSettings(DEFAULT_DENSITY, DEFAULT_TAU, PowerSgdOptions.DEFAULT_RANK, 0, true);

    public CodecSettings {
        if (!(density > 0
                && density <= 1
                && tau >= Float.MIN_NORMAL
                && tau <= Float.MAX_VALUE
                && rank >= 1
                && warmUpSteps >= 0)) {
            throw new IllegalArgumentException(
                    "settings of codecs are out of range: density=" + density + ", tau=" + tau + ", powersgd-rank="
                            + rank + ", warm-up=" + warmUpSteps
                            + "; take a density above 0 and at most 1, a tau above 0, a rank of at least 1 and a warm-up of at least 0");
        }
    }

    public CodecSettings withFeedback(boolean value) {
        return new CodecSettings(density, tau, rank, warmUpSteps, value);
    }
}

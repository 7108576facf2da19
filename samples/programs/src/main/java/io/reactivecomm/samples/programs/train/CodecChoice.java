package io.reactivecomm.samples.programs.train;

import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.Threshold;
import io.reactivecomm.compression.TopK;
import io.reactivecomm.compression.reduce.CompressedAllReduce;
import io.reactivecomm.compression.reduce.CompressionOptions;
import io.reactivecomm.compression.reduce.PowerSgd;
import io.reactivecomm.compression.reduce.PowerSgdOptions;

/** A way to reduce gradients in fewer bytes, as {@code --compress} names it. */
enum CodecChoice {
    ONE_BIT,
    INT8,
    INT4,
    TOP_K,
    THRESHOLD,
    POWERSGD;

    /**
     * The settings of those that have some.
     *
     * @param density the share of elements that top-k keeps
     * @param tau the first threshold
     * @param rank of PowerSGD's factors
     * @param warmUpSteps how many steps go uncompressed first
     */
    record Settings(double density, double tau, int rank, long warmUpSteps) {

        /** One element of a hundred: what error feedback makes up for in a training of some hundred steps. */
        static final double DEFAULT_DENSITY = 0.01;

        /** Gradients are summed up over a batch here, so they are larger than the means for which {@link Threshold#INITIAL_TAU} is made. */
        static final double DEFAULT_TAU = 0.1;

        Settings {
            if (!(density > 0 && density <= 1 && tau >= Float.MIN_NORMAL && tau <= Float.MAX_VALUE && rank >= 1 && warmUpSteps >= 0)) {
                throw new IllegalArgumentException("settings of codecs are out of range: density=" + density + ", tau=" + tau + ", powersgd-rank=" + rank + ", warm-up=" + warmUpSteps
                        + "; take a density above 0 and at most 1, a tau above 0, a rank of at least 1 and a warm-up of at least 0");
            }
        }
    }

    /**
     * {@return gradient descent whose buckets are reduced so}
     *
     * @param feedsBack whether what a step loses is added to the next
     */
    LearningRule.Choice rule(Settings settings, boolean feedsBack) {
        return switch (this) {
            case ONE_BIT -> compressed(CompressionOptions.inTwoSteps(new OneBit()), settings, feedsBack);
            case INT8 -> compressed(CompressionOptions.inTwoSteps(BlockQuantization.int8()), settings, feedsBack);
            case INT4 -> compressed(CompressionOptions.inTwoSteps(BlockQuantization.int4()), settings, feedsBack);
            case TOP_K -> compressed(CompressionOptions.byGather(new TopK(settings.density())), settings, feedsBack);
            case THRESHOLD -> compressed(CompressionOptions.byGather(new Threshold(settings.tau(), Threshold.Adaptation.USUAL)), settings, feedsBack);
            case POWERSGD -> factored(
                    PowerSgdOptions.DEFAULT.withRank(settings.rank()).withStartStep(settings.warmUpSteps()).withFeedback(feedsBack));
        };
    }

    private static LearningRule.Choice compressed(CompressionOptions codec, Settings settings, boolean feedsBack) {
        CompressionOptions options = codec.withWarmUp(settings.warmUpSteps()).withFeedback(feedsBack);
        return learner -> {
            CompressedAllReduce reducer = CompressedAllReduce.of(options);
            return GradientDescent.inBuckets(learner, reducer, reducer::close);
        };
    }

    private static LearningRule.Choice factored(PowerSgdOptions options) {
        return learner -> {
            PowerSgd reducer = PowerSgd.of(options);
            return GradientDescent.inBuckets(learner, reducer, reducer::close);
        };
    }
}

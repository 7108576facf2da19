package io.reactivecomm.samples.programs.train;

import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.reduce.CompressedAllReduce;
import io.reactivecomm.compression.reduce.CompressionOptions;
import io.reactivecomm.samples.programs.optimizer.Adam;
import io.reactivecomm.samples.programs.optimizer.AdamOptions;
import io.reactivecomm.samples.programs.optimizer.Lamb;
import io.reactivecomm.samples.programs.optimizer.LambOptions;
import io.reactivecomm.samples.programs.optimizer.LayerRange;
import io.reactivecomm.samples.programs.optimizer.OneBitAdam;
import io.reactivecomm.samples.programs.optimizer.OneBitLamb;
import io.reactivecomm.samples.programs.optimizer.Optimizer;
import io.reactivecomm.samples.programs.optimizer.RankAverage;
import io.reactivecomm.samples.programs.optimizer.ZeroOneAdam;
import io.reactivecomm.samples.programs.optimizer.ZeroOneSchedule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An optimizer, as {@code --optimizer} names it. */
enum OptimizerChoice {
    SGD,
    ADAM,
    ONE_BIT_ADAM,
    ZERO_ONE_ADAM,
    LAMB,
    ONE_BIT_LAMB;

    private static final float ADAM_RATE = 0.003f;
    private static final float LAMB_RATE = 0.01f;

    /**
     * A sign moves a parameter by the size of all momenta, divided by the root of its own variance. That is next to nothing behind pixels that few images use: with the papers' 1e-8
     * such weights are thrown about, 1-bit Adam loses a point of accuracy on two ranks and 1-bit LAMB learns nothing.
     */
    private static final AdamOptions MOMENTS = AdamOptions.DEFAULT.withEpsilon(1e-4f);

    private static final LambOptions LAMB_OPTIONS = LambOptions.DEFAULT.withMoments(MOMENTS);

    /**
     * The lengths of the phases of a training.
     *
     * @param steps of the whole
     * @param warmUpSteps how many of them are exact, with 1-bit Adam and 1-bit LAMB; the first local step of 0/1 Adam is the next
     */
    record Phases(long steps, long warmUpSteps) {

        /** The paper of 1-bit Adam warms up for a fifth to a sixth of its steps. */
        private static final int WARM_UP_SHARE = 6;

        Phases {
            if (warmUpSteps < 1) {
                throw new IllegalArgumentException(
                        "no warm-up, but its variance is what later steps are divided by: warm-up=" + warmUpSteps
                                + "; take at least one step");
            }
        }

        /** @param warmUpSteps null for the usual share */
        static Phases of(long steps, @Nullable Long warmUpSteps) {
            return new Phases(steps, warmUpSteps == null ? Math.max(1, steps / WARM_UP_SHARE) : warmUpSteps);
        }

        /** Local steps get four times as long over the rest. */
        ZeroOneSchedule schedule() {
            return new ZeroOneSchedule(
                    ZeroOneSchedule.DEFAULT_VARIANCES_PER_INTERVAL,
                    warmUpSteps,
                    Math.max(1, (steps - warmUpSteps) / 3),
                    ZeroOneSchedule.DEFAULT_MOST_LOCAL_STEPS);
        }
    }

    /** {@return the one that it compresses, or itself} */
    OptimizerChoice parent() {
        return switch (this) {
            case SGD, ADAM, LAMB -> this;
            case ONE_BIT_ADAM, ZERO_ONE_ADAM -> ADAM;
            case ONE_BIT_LAMB -> LAMB;
        };
    }

    /** {@return the learning rate to begin with, unless another is chosen} */
    float learningRate() {
        return switch (this) {
            case SGD -> TrainOptions.DEFAULT_LEARNING_RATE;
            case ADAM, ONE_BIT_ADAM, ZERO_ONE_ADAM -> ADAM_RATE;
            case LAMB, ONE_BIT_LAMB -> LAMB_RATE;
        };
    }

    /** The making of an optimizer of one rank, for parameters that lie in ranges. */
    private interface Making {
        Optimizer of(RankAverage ranks, List<LayerRange> ranges);
    }

    /**
     * {@return the rule of this optimizer}
     *
     * @param images of all ranks, which tell what never gets a gradient
     */
    LearningRule.Choice rule(Phases phases, Digits images) {
        return switch (this) {
            case SGD -> GradientDescent::byLayer;
            case ADAM -> rule(0, images, (ranks, ranges) -> new Adam(ranks, MOMENTS, count(ranges)));
            case ONE_BIT_ADAM ->
                rule(phases.warmUpSteps(), images, (ranks, ranges) -> new OneBitAdam(ranks, MOMENTS, count(ranges)));
            // Its epsilon stands under the root: 1e-8 is as much there as 1e-4 elsewhere.
            case ZERO_ONE_ADAM ->
                rule(
                        0,
                        images,
                        (ranks, ranges) ->
                                new ZeroOneAdam(ranks, AdamOptions.DEFAULT, phases.schedule(), count(ranges)));
            case LAMB -> rule(0, images, (ranks, ranges) -> new Lamb(ranks, LAMB_OPTIONS, ranges));
            case ONE_BIT_LAMB ->
                rule(phases.warmUpSteps(), images, (ranks, ranges) -> new OneBitLamb(ranks, LAMB_OPTIONS, ranges));
        };
    }

    private static LearningRule.Choice rule(long warmUpSteps, Digits images, Making making) {
        return learner -> {
            List<LayerRange> ranges = OptimizerRule.ranges(learner.model());
            CompressedAllReduce compression = CompressedAllReduce.of(CompressionOptions.inTwoSteps(new OneBit())
                    .withWarmUp(warmUpSteps)
                    .withMask(RankAverage.COMPRESSED, UnusedPixels.mask(learner.model(), images)));
            RankAverage ranks = new RankAverage(learner.group(), learner.compute(), count(ranges), compression, false);
            return new OptimizerRule(learner, making.of(ranks, ranges), () -> {
                ranks.close();
                compression.close();
            });
        };
    }

    private static int count(List<LayerRange> ranges) {
        return ranges.getLast().to();
    }
}

package io.reactivecomm.samples.programs.train;

import java.nio.file.Path;

/**
 * The settings of a training. Everything that decides the result is here, and equal on all ranks.
 *
 * @param epochs how often each image is seen
 * @param batch images of a step, over all ranks together
 * @param learningRate what the mean gradient of a batch is multiplied with, in the first epoch
 * @param seed decides the initial parameters and the order of the images
 * @param chart where the chart goes
 * @param steps the options of each step
 */
record TrainOptions(int epochs, int batch, float learningRate, long seed, Path chart, StepChoice steps) {

    /** Enough for the loss to go below 0.02; the test accuracy no longer rises then. */
    static final int DEFAULT_EPOCHS = 30;

    /** Small enough to learn in few epochs, large enough for several ranks to have a share. */
    static final int DEFAULT_BATCH = 32;

    /** The least of those tried with which each of the seeds 1 to 30 ends above a test accuracy of 0.97. */
    static final float DEFAULT_LEARNING_RATE = 0.6f;

    static final long DEFAULT_SEED = 1;

    /** With usual steps. */
    TrainOptions(int epochs, int batch, float learningRate, long seed, Path chart) {
        this(epochs, batch, learningRate, seed, chart, new StepChoice());
    }

    TrainOptions {
        if (epochs < 1) {
            throw new IllegalArgumentException(
                    "number of epochs is not positive: epochs=" + epochs + "; train at least one");
        }
        if (batch < 1) {
            throw new IllegalArgumentException(
                    "batch is not positive: batch=" + batch + "; take at least one image a step");
        }
        if (!(learningRate > 0) || Float.isInfinite(learningRate)) {
            throw new IllegalArgumentException("learning rate is not a positive number: lr=" + learningRate
                    + "; the default is " + DEFAULT_LEARNING_RATE);
        }
    }

    TrainOptions withLearningRate(float rate) {
        return new TrainOptions(epochs, batch, rate, seed, chart, steps);
    }

    /**
     * {@return the learning rate of an epoch: it falls evenly towards 0, so that the end is no matter of luck. Kept as it begins, it
     * takes some seeds below a test accuracy of 0.95 with the last few steps}
     *
     * @param epoch which one, from 1
     */
    float learningRate(int epoch) {
        return learningRate * (epochs - epoch + 1) / epochs;
    }
}

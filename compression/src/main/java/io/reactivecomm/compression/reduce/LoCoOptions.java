package io.reactivecomm.compression.reduce;

import io.reactivecomm.InvalidCallException;

/**
 * The choices of LoCo's error feedback; the same on all ranks, which compare them.
 *
 * @param errorBeta how much of the kept error stays: with {@code e = errorBeta · e + (1 − errorBeta) · lost} one step's loss is spread over several
 * @param resetSteps after so many steps errors begin as zeros again
 */
public record LoCoOptions(double errorBeta, long resetSteps) {

    /** DeepSpeed's. */
    public static final double DEFAULT_ERROR_BETA = 0.8;

    /** DeepSpeed's: what was lost of gradients long ago is no longer of use. */
    public static final long DEFAULT_RESET_STEPS = 1024;

    /** The usual choices. */
    public static final LoCoOptions DEFAULT = new LoCoOptions(DEFAULT_ERROR_BETA, DEFAULT_RESET_STEPS);

    public LoCoOptions {
        if (!(errorBeta >= 0 && errorBeta < 1) || resetSteps < 1) {
            throw new InvalidCallException("no such error feedback: errorBeta=" + errorBeta + ", resetSteps="
                    + resetSteps + "; give a share from 0 to below 1, and at least one step");
        }
    }

    public LoCoOptions withErrorBeta(double value) {
        return new LoCoOptions(value, resetSteps);
    }

    public LoCoOptions withResetSteps(long steps) {
        return new LoCoOptions(errorBeta, steps);
    }

    /** {@return what ranks must have in common} */
    String label() {
        return "LoCo(errorBeta=" + errorBeta + ", resetSteps=" + resetSteps + ")";
    }
}

package io.reactivecomm.deepspeed;

/**
 * The parameters of one of DeepSpeed's 1-bit optimizers, with its names and defaults.
 *
 * <p>The library has what such an optimizer communicates with, {@code CompressedAllReduce} with {@code OneBit}; the optimizers themselves are among the samples,
 * to be copied.
 */
public sealed interface OneBitParams {

    /** The steps before compression or freezing begin, where a configuration does not say. */
    long DEFAULT_FREEZE_STEP = 100_000;

    /** {@return what it has in common with Adam} */
    AdamParams adam();

    /**
     * The parameters that all of them have.
     *
     * @param learningRate {@code lr}
     * @param beta1 the first of {@code betas}: how much of the momentum stays in a step
     * @param beta2 the second: how much of the variance stays
     * @param epsilon {@code eps}, which keeps a divisor from being 0
     */
    record AdamParams(double learningRate, double beta1, double beta2, double epsilon) {

        public static final AdamParams DEFAULT = new AdamParams(1e-3, 0.9, 0.999, 1e-8);
    }

    /**
     * The parameters of {@code OneBitAdam}.
     *
     * @param freezeStep how many steps are exact, after which the variance stays: the warm-up of the compression
     */
    record OneBitAdamParams(AdamParams adam, long freezeStep) implements OneBitParams {}

    /**
     * The parameters of {@code ZeroOneAdam}.
     *
     * @param varFreezeStep the latest step that renews the variance
     * @param varUpdateScaler how many renewals of the variance follow each other at one interval
     * @param localStepScaler after how many local steps their interval doubles
     * @param localStepClipper the largest interval of local steps
     */
    record ZeroOneAdamParams(
            AdamParams adam, long varFreezeStep, long varUpdateScaler, long localStepScaler, long localStepClipper)
            implements OneBitParams {

        public static final ZeroOneAdamParams DEFAULT =
                new ZeroOneAdamParams(AdamParams.DEFAULT, DEFAULT_FREEZE_STEP, 16, 32_678, 16);
    }

    /**
     * The parameters of {@code OneBitLamb}.
     *
     * @param freezeStep as that of {@link OneBitAdamParams}
     */
    record OneBitLambParams(AdamParams adam, long freezeStep, LambCoefficients coefficients) implements OneBitParams {}

    /**
     * The coefficients of the layers of 1-bit LAMB.
     *
     * @param maxCoeff the most in the warm-up
     * @param minCoeff the least in the warm-up
     * @param coeffBeta how much of a layer's mean coefficient stays in a step of the warm-up
     * @param factorMax the most that a mean coefficient is multiplied by afterwards
     * @param factorMin the least
     * @param factorThreshold the share by which that factor changes in a step at most
     */
    record LambCoefficients(
            double maxCoeff,
            double minCoeff,
            double coeffBeta,
            double factorMax,
            double factorMin,
            double factorThreshold) {

        public static final LambCoefficients DEFAULT = new LambCoefficients(10, 0.01, 0.9, 4, 0.5, 0.1);
    }
}

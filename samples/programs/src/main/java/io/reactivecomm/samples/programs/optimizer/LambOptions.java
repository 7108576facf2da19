package io.reactivecomm.samples.programs.optimizer;

import io.reactivecomm.deepspeed.OneBitParams.LambCoefficients;
import io.reactivecomm.deepspeed.OneBitParams.OneBitLambParams;

/**
 * The settings of LAMB and of 1-bit LAMB.
 *
 * @param moments those of its Adam
 * @param leastCoefficient of a layer
 * @param mostCoefficient of a layer
 * @param compressed those of the compressed steps
 */
public record LambOptions(AdamOptions moments, double leastCoefficient, double mostCoefficient, Compressed compressed) {

    /**
     * The defaults of DeepSpeed's {@code OnebitLamb}: coefficients from 0.01 to 10, and an epsilon of 1e-8. LAMB's own paper names no bounds. With BERT, DeepSpeed's tutorial, whose
     * settings are those of the paper of 1-bit LAMB, has coefficients of at most 0.3.
     */
    public static final LambOptions DEFAULT = new LambOptions(AdamOptions.DEFAULT, 0.01, 10, Compressed.DEFAULT);

    public LambOptions {
        if (!(leastCoefficient > 0 && leastCoefficient <= mostCoefficient)) {
            throw new IllegalArgumentException("no such coefficients: least=" + leastCoefficient + ", most="
                    + mostCoefficient + "; give two above 0, in order");
        }
    }

    /** {@return those of DeepSpeed's 1-bit LAMB; its freeze step is the warm-up of the compression} */
    public static LambOptions of(OneBitLambParams params) {
        LambCoefficients layers = params.coefficients();
        return new LambOptions(
                AdamOptions.of(params.adam()),
                layers.minCoeff(),
                layers.maxCoeff(),
                new Compressed(layers.coeffBeta(), layers.factorMin(), layers.factorMax(), layers.factorThreshold()));
    }

    public LambOptions withMoments(AdamOptions value) {
        return new LambOptions(value, leastCoefficient, mostCoefficient, compressed);
    }

    /**
     * The settings of compressed steps.
     *
     * @param beta3 how much of a layer's mean coefficient stays in a step of the warm-up
     * @param leastFactor r_min, the least that a mean coefficient is multiplied by
     * @param mostFactor r_max, the most
     * @param mostChange r_threshold, the share by which that factor changes in a step at most
     */
    public record Compressed(double beta3, double leastFactor, double mostFactor, double mostChange) {

        /** DeepSpeed's defaults, which its tutorial of 1-bit LAMB keeps. */
        public static final Compressed DEFAULT = new Compressed(0.9, 0.5, 4, 0.1);

        public Compressed {
            if (!(beta3 >= 0
                    && beta3 < 1
                    && leastFactor > 0
                    && leastFactor <= mostFactor
                    && mostChange > 0
                    && mostChange < 1)) {
                throw new IllegalArgumentException("no such compressed steps: beta3=" + beta3 + ", leastFactor="
                        + leastFactor + ", mostFactor=" + mostFactor + ", mostChange=" + mostChange
                        + "; give shares from 0 to 1 and two factors in order");
            }
        }
    }
}

package io.reactivecomm.samples.programs.optimizer;

import java.util.Arrays;
import java.util.List;

/**
 * The coefficients of 1-bit LAMB's layers: means of those of the warm-up, which then follow how the variance changes.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class FrozenCoefficients {

    private final LambOptions.Compressed options;
    private final List<LayerRange> ranges;
    private final Moments moments;
    private final double[] means;
    private final double[] factors;
    private float[] fresh = {};

    /** @param moments whose variance is kept from the end of the warm-up on */
    FrozenCoefficients(LambOptions.Compressed options, List<LayerRange> ranges, Moments moments) {
        this.options = options;
        this.ranges = List.copyOf(ranges);
        this.moments = moments;
        this.means = new double[ranges.size()];
        this.factors = new double[ranges.size()];
        Arrays.fill(factors, 1);
    }

    /** Adds the coefficients of a step of the warm-up to the means. */
    void add(double[] coefficients) {
        for (int layer = 0; layer < means.length; layer++) {
            means[layer] = options.beta3() * means[layer] + (1 - options.beta3()) * coefficients[layer];
        }
    }

    /** The warm-up has ended: from here on a fresh variance goes its own way. */
    void freeze() {
        fresh = moments.variance().clone();
    }

    /** {@return the coefficient of each layer after a gradient that was made of compressed momenta} */
    double[] after(float[] gradient) {
        moments.addSquares(gradient, fresh);
        double[] coefficients = new double[means.length];
        for (int layer = 0; layer < means.length; layer++) {
            double within = bounded(options.leastFactor(), greatestRatio(ranges.get(layer)), options.mostFactor());
            factors[layer] = bounded(
                    factors[layer] * (1 - options.mostChange()), within, factors[layer] * (1 + options.mostChange()));
            coefficients[layer] = factors[layer] * means[layer];
        }
        return coefficients;
    }

    /** Not {@link Math#clamp}, which throws at bounds that are no numbers, as they are where a training has gone astray. */
    private static double bounded(double least, double value, double most) {
        return Math.max(least, Math.min(value, most));
    }

    /** What has had no gradient has no say. */
    private double greatestRatio(LayerRange range) {
        double greatest = 0;
        for (int i = range.from(); i < range.to(); i++) {
            double ratio = moments.isMoved(i)
                    ? moments.divisor(moments.variance()[i]) / (double) moments.divisor(fresh[i])
                    : 0;
            greatest = Math.max(greatest, ratio);
        }
        return greatest;
    }
}

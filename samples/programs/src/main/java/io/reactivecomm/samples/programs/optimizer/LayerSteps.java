package io.reactivecomm.samples.programs.optimizer;

import java.util.List;

/**
 * The steps of LAMB, each layer's in proportion to its weights.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class LayerSteps {

    private final LambOptions options;
    private final List<LayerRange> ranges;
    private final Moments moments;

    LayerSteps(LambOptions options, List<LayerRange> ranges, Moments moments) {
        this.options = options;
        this.ranges = List.copyOf(ranges);
        this.moments = moments;
    }

    /** Takes a step. {@return the coefficient of each layer} */
    double[] move(float[] parameters, float learningRate) {
        float[] directions = directions();
        double[] coefficients = new double[ranges.size()];
        for (int layer = 0; layer < coefficients.length; layer++) {
            LayerRange range = ranges.get(layer);
            coefficients[layer] = coefficient(range.norm(parameters), range.norm(directions));
            move(range, parameters, directions, (float) (learningRate * coefficients[layer]));
        }
        return coefficients;
    }

    /** Takes a step with coefficients that are known. */
    void move(float[] parameters, float learningRate, double[] coefficients) {
        float[] directions = directions();
        for (int layer = 0; layer < coefficients.length; layer++) {
            move(ranges.get(layer), parameters, directions, (float) (learningRate * coefficients[layer]));
        }
    }

    private float[] directions() {
        float[] directions = new float[moments.momentum().length];
        for (int i = 0; i < directions.length; i++) {
            directions[i] = moments.direction(i);
        }
        return directions;
    }

    private double coefficient(double ofParameters, double ofDirections) {
        return ofParameters == 0 || ofDirections == 0
                ? 1
                : Math.clamp(ofParameters / ofDirections, options.leastCoefficient(), options.mostCoefficient());
    }

    private static void move(LayerRange range, float[] parameters, float[] directions, float length) {
        for (int i = range.from(); i < range.to(); i++) {
            parameters[i] -= length * directions[i];
        }
    }
}

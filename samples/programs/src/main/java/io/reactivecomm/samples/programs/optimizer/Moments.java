package io.reactivecomm.samples.programs.optimizer;

/**
 * The running means of each parameter's gradient, its momentum m, and of the gradient's square, its variance v.
 *
 * <pre>
 *   m = β1·m + (1 − β1)·g          v = β2·v + (1 − β2)·g²          direction = m / (√v + ε)
 * </pre>
 *
 * <p>Means begin as zeros and are not corrected for that: the papers of the compressed optimizers leave the correction out, and so do their parents here.
 *
 * <p><b>No variance.</b> A parameter whose variance is 0 has had no gradient yet. Its direction is 0, whatever a codec has made of its momentum: divided by ε alone, that
 * would be a step without bounds.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class Moments {

    private final AdamOptions options;
    private final float[] momentum;
    private final float[] variance;

    Moments(AdamOptions options, int count) {
        this.options = options;
        this.momentum = new float[count];
        this.variance = new float[count];
    }

    /** {@return the momentum itself} */
    float[] momentum() {
        return momentum;
    }

    /** {@return the variance itself} */
    float[] variance() {
        return variance;
    }

    /** Takes both means from others of as many parameters. */
    void take(Moments other) {
        takeMomentum(other.momentum);
        System.arraycopy(other.variance, 0, variance, 0, variance.length);
    }

    void addToMomentum(float[] gradient) {
        takeMomentum(momentumWith(gradient));
    }

    /** {@return a copy of the momentum with that gradient added} It is what travels: the momentum itself stays until all has gone well. */
    float[] momentumWith(float[] gradient) {
        float[] sum = new float[momentum.length];
        for (int i = 0; i < sum.length; i++) {
            sum[i] = options.beta1() * momentum[i] + (1 - options.beta1()) * gradient[i];
        }
        return sum;
    }

    /** Puts another momentum in place of this one. */
    void takeMomentum(float[] other) {
        System.arraycopy(other, 0, momentum, 0, momentum.length);
    }

    void addToVariance(float[] gradient) {
        addSquares(gradient, variance);
    }

    /** Adds the squares of a gradient to any variance. */
    void addSquares(float[] gradient, float[] sum) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] = options.beta2() * sum[i] + (1 - options.beta2()) * gradient[i] * gradient[i];
        }
    }

    /** {@return the gradient which, added to that momentum, gives this one} */
    float[] gradientSince(float[] before) {
        float[] gradient = new float[before.length];
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] = (momentum[i] - options.beta1() * before[i]) / (1 - options.beta1());
        }
        return gradient;
    }

    /** Forgets the momentum of parameters that have had no gradient: what is there is a codec's. */
    void clearUnmoved() {
        for (int i = 0; i < momentum.length; i++) {
            momentum[i] = variance[i] == 0 ? 0 : momentum[i];
        }
    }

    /** {@return whether a parameter has had a gradient} */
    boolean isMoved(int i) {
        return variance[i] != 0;
    }

    /** {@return where a step of length 1 leads} */
    float direction(int i) {
        return variance[i] == 0 ? 0 : momentum[i] / divisor(variance[i]);
    }

    /** {@return √v + ε of a variance} */
    float divisor(float ofVariance) {
        return (float) Math.sqrt(ofVariance) + options.epsilon();
    }

    /** Takes a step. */
    void move(float[] parameters, float learningRate) {
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] -= learningRate * direction(i);
        }
    }
}

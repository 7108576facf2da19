package io.reactivecomm.samples.programs.optimizer;

/**
 * The place of one layer's weights, or of its biases, among all parameters.
 *
 * @param name such as {@code layer1.weight}
 * @param from the first parameter
 * @param to the first after them
 */
public record LayerRange(String name, int from, int to) {

    /** {@return the Euclidean norm of that part of an array, summed up in double, in order} */
    double norm(float[] values) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += (double) values[i] * values[i];
        }
        return Math.sqrt(sum);
    }

    int count() {
        return to - from;
    }
}

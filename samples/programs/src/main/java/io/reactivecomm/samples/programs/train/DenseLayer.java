package io.reactivecomm.samples.programs.train;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * One fully connected layer: {@code output = weights · input + bias}, for a batch of inputs at a time.
 *
 * <p>The parameters are one array, as they travel: the weights row by row, a row for each output, then the biases. Their gradient has the
 * same layout.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class DenseLayer {

    private final String name;
    private final int inputs;
    private final int outputs;
    private final float[] parameters;
    private final float[] gradient;

    private DenseLayer(String name, int inputs, int outputs) {
        this.name = name;
        this.inputs = inputs;
        this.outputs = outputs;
        this.parameters = new float[outputs * inputs + outputs];
        this.gradient = new float[parameters.length];
    }

    /** {@return a layer with He's initial weights for ReLU, uniform, and biases of 0} */
    static DenseLayer random(String name, int inputs, int outputs, SplittableRandom random) {
        DenseLayer layer = new DenseLayer(name, inputs, outputs);
        double bound = Math.sqrt(6.0 / inputs);
        for (int i = 0; i < outputs * inputs; i++) {
            layer.parameters[i] = (float) random.nextDouble(-bound, bound);
        }
        return layer;
    }

    public String name() {
        return name;
    }

    int inputs() {
        return inputs;
    }

    int outputs() {
        return outputs;
    }

    /** {@return the weights and biases themselves, to be changed in place} */
    public float[] parameters() {
        return parameters;
    }

    /** {@return the outputs for a batch of inputs, sample by sample} */
    float[] forward(float[] input, int samples) {
        float[] output = new float[samples * outputs];
        for (int sample = 0; sample < samples; sample++) {
            for (int row = 0; row < outputs; row++) {
                output[sample * outputs + row] =
                        parameters[outputs * inputs + row] + dot(row * inputs, input, sample * inputs);
            }
        }
        return output;
    }

    private float dot(int weightsFrom, float[] input, int inputFrom) {
        float sum = 0;
        for (int i = 0; i < inputs; i++) {
            sum += parameters[weightsFrom + i] * input[inputFrom + i];
        }
        return sum;
    }

    /**
     * {@return the gradient of the parameters, summed over the batch; the array is used again by the next call}
     *
     * @param input what {@link #forward} got
     * @param outputGradient the gradient of the loss by this layer's outputs
     */
    float[] parameterGradient(float[] input, float[] outputGradient, int samples) {
        Arrays.fill(gradient, 0);
        for (int sample = 0; sample < samples; sample++) {
            for (int row = 0; row < outputs; row++) {
                float slope = outputGradient[sample * outputs + row];
                gradient[outputs * inputs + row] += slope;
                for (int i = 0; i < inputs; i++) {
                    gradient[row * inputs + i] += slope * input[sample * inputs + i];
                }
            }
        }
        return gradient;
    }

    /** {@return the gradient of the loss by this layer's inputs} */
    float[] inputGradient(float[] outputGradient, int samples) {
        float[] result = new float[samples * inputs];
        for (int sample = 0; sample < samples; sample++) {
            for (int row = 0; row < outputs; row++) {
                float slope = outputGradient[sample * outputs + row];
                for (int i = 0; i < inputs; i++) {
                    result[sample * inputs + i] += slope * parameters[row * inputs + i];
                }
            }
        }
        return result;
    }
}

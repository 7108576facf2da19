package io.reactivecomm.samples.programs.train;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * A multi-layer perceptron for digits: dense layers with ReLU between them, and softmax cross-entropy at the end. It knows nothing of
 * other ranks.
 *
 * <p>All sums are over samples, not means: sums of several ranks add up whatever the size of each one's share.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class Mlp {

    private final List<DenseLayer> layers;

    private Mlp(List<DenseLayer> layers) {
        this.layers = List.copyOf(layers);
    }

    /**
     * {@return a network whose initial parameters follow from the seed alone}
     *
     * @param widths the inputs, the outputs of each layer but the last, and the classes
     */
    public static Mlp random(long seed, int... widths) {
        SplittableRandom random = new SplittableRandom(seed);
        List<DenseLayer> layers = new ArrayList<>();
        for (int i = 1; i < widths.length; i++) {
            layers.add(DenseLayer.random("layer" + i, widths[i - 1], widths[i], random));
        }
        return new Mlp(layers);
    }

    /** {@return the layers, from the input on} */
    public List<DenseLayer> layers() {
        return layers;
    }

    /** {@return the layer of that name} */
    DenseLayer layer(String name) {
        return layers.stream()
                .filter(layer -> layer.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such layer: layer=" + name + ", layers="
                        + layers.stream().map(DenseLayer::name).toList()));
    }

    /**
     * The gradient of the loss by a layer's parameters.
     *
     * @param layer which one
     * @param values summed over the batch, laid out as {@link DenseLayer#parameters()}; valid until the layer's next backward pass
     */
    record Gradient(DenseLayer layer, float[] values) {}

    /**
     * The results of a forward pass that the backward pass needs.
     *
     * @param inputs what each layer got, after the ReLU of the one before
     * @param probabilities of each class, sample by sample
     * @param labels the right classes
     * @param score how well they were met
     */
    record Forward(List<float[]> inputs, float[] probabilities, int[] labels, Score score) {}

    /** Runs a batch through the network. */
    Forward forward(Digits batch) {
        List<float[]> inputs = new ArrayList<>();
        float[] activation = batch.images();
        for (DenseLayer layer : layers) {
            if (!inputs.isEmpty()) {
                Activation.rectify(activation);
            }
            inputs.add(activation);
            activation = layer.forward(activation, batch.count());
        }
        Score score =
                Activation.softmax(activation, batch.labels(), layers.getLast().outputs());
        return new Forward(inputs, activation, batch.labels(), score);
    }

    /**
     * Runs back from the loss to the input and hands over each layer's gradient as soon as it is complete, the last layer's first: the
     * receiver may send it off while the layers before it are still to come, but must not change parameters yet.
     */
    void backward(Forward forward, Consumer<Gradient> ready) {
        int samples = forward.labels().length;
        float[] slope = Activation.lossGradient(
                forward.probabilities(), forward.labels(), layers.getLast().outputs());
        for (int i = layers.size() - 1; i >= 0; i--) {
            DenseLayer layer = layers.get(i);
            float[] input = forward.inputs().get(i);
            ready.accept(new Gradient(layer, layer.parameterGradient(input, slope, samples)));
            if (i > 0) {
                slope = layer.inputGradient(slope, samples);
                Activation.maskRectified(slope, input);
            }
        }
    }
}

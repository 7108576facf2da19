package io.reactivecomm.pytorch;

import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.pytorch.BatchNorm2dImpl;
import org.bytedeco.pytorch.BatchNormOptions;
import org.bytedeco.pytorch.Conv2dImpl;
import org.bytedeco.pytorch.Conv2dOptions;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TransformerEncoderLayerImpl;
import org.bytedeco.pytorch.TransformerEncoderLayerOptions;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** The models whose steps {@link StepComparison} compares, with their data. */
abstract sealed class TimedModel extends Module {

    static TimedModel of(String name) {
        return switch (name) {
            case "perceptron" -> new Perceptron();
            case "convolutions" -> new Convolutions();
            case "transformer" -> new Transformer();
            default -> throw new IllegalArgumentException("no model has this name: name=" + name);
        };
    }

    /** {@return the loss of a rank in a step} */
    abstract Tensor loss(int step, int rank);

    /** Four layers: 16 MB of gradients. */
    static final class Perceptron extends TimedModel {

        private static final int WIDTH = 1024;

        private final LinearImpl[] layers = new LinearImpl[4];

        Perceptron() {
            for (int i = 0; i < layers.length; i++) {
                layers[i] = register_module("layer" + i, new LinearImpl(WIDTH, WIDTH));
            }
        }

        @Override
        Tensor loss(int step, int rank) {
            Tensor values = Models.values(2 * step + rank, 64, WIDTH);
            for (LinearImpl layer : layers) {
                values = layer.forward(values).tanh();
            }
            return Models.loss(values);
        }
    }

    /** Three convolutions with batch normalization. */
    static final class Convolutions extends TimedModel {

        private static final int[] CHANNELS = {3, 32, 64, 128};

        private final Conv2dImpl[] convolutions = new Conv2dImpl[3];
        private final BatchNorm2dImpl[] norms = new BatchNorm2dImpl[3];
        private final LinearImpl last = register_module("last", new LinearImpl(CHANNELS[3], 10));

        Convolutions() {
            for (int i = 0; i < convolutions.length; i++) {
                convolutions[i] = register_module(
                        "convolution" + i,
                        new Conv2dImpl(new Conv2dOptions(CHANNELS[i], CHANNELS[i + 1], new LongPointer(3, 3))));
                norms[i] = register_module("norm" + i, new BatchNorm2dImpl(new BatchNormOptions(CHANNELS[i + 1])));
            }
        }

        @Override
        Tensor loss(int step, int rank) {
            Tensor values = Models.values(2 * step + rank, 8, CHANNELS[0], 20, 20);
            for (int i = 0; i < convolutions.length; i++) {
                values = norms[i].forward(convolutions[i].forward(values)).relu();
            }
            return Models.loss(last.forward(values.mean(2, 3)));
        }
    }

    /** Two encoder layers whose output is compared with the embeddings of the input. */
    static final class Transformer extends TimedModel {

        private static final int WORDS = 2000;
        private static final int WIDTH = 128;
        private static final int LENGTH = 32;
        private static final int BATCH = 4;

        private final Tensor embeddings = new Tensor(register_parameter("embeddings", Models.values(0, WORDS, WIDTH)));
        private final Tensor output = new Tensor(register_parameter("output", embeddings));
        private final TransformerEncoderLayerImpl[] layers = new TransformerEncoderLayerImpl[2];

        Transformer() {
            for (int i = 0; i < layers.length; i++) {
                TransformerEncoderLayerOptions options = new TransformerEncoderLayerOptions(WIDTH, 4);
                options.dim_feedforward().put(4 * WIDTH);
                options.dropout().put(0);
                layers[i] = register_module("layer" + i, new TransformerEncoderLayerImpl(options));
            }
        }

        @Override
        Tensor loss(int step, int rank) {
            Tensor words = Models.values(2 * step + rank, LENGTH * BATCH)
                    .mul(new Scalar(WORDS / 2.0 - 1))
                    .add(new Scalar(WORDS / 2.0))
                    .to(ScalarType.Long);
            Tensor values = torch.embedding(embeddings, words).reshape(LENGTH, BATCH, WIDTH);
            for (TransformerEncoderLayerImpl layer : layers) {
                values = layer.forward(values);
            }
            Tensor scores = values.reshape(LENGTH * BATCH, WIDTH).matmul(output.t());
            return torch.cross_entropy_loss(scores, words);
        }
    }
}

package io.reactivecomm.samples.programs.train;

import io.reactivecomm.Tensor;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.hook.GradientHook;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Two hooks around others that are to see each layer's weights and biases by themselves: the weights are a matrix, which some codecs make use of.
 *
 * <pre>
 *   layer1 ── apart ──&gt; layer1.weight, layer1.bias ── hooks between ── together ──&gt; layer1
 * </pre>
 *
 * <p><b>Buffers.</b> Both parts are slices of the layer's tensor, so that nothing is copied.
 */
final class WeightsAndBiases {

    private WeightsAndBiases() {}

    static String weights(DenseLayer layer) {
        return layer.name() + ".weight";
    }

    static String biases(DenseLayer layer) {
        return layer.name() + ".bias";
    }

    /** {@return the hook that cuts each layer's gradient in two} */
    static GradientHook apart(Mlp model) {
        return ready -> ready.concatMapIterable(gradient -> {
            DenseLayer layer = model.layer(gradient.name());
            Tensor whole = gradient.tensor();
            long weights = (long) layer.outputs() * layer.inputs();
            return List.of(
                    new Gradient(weights(layer), whole.slice(0, weights)),
                    new Gradient(biases(layer), whole.slice(weights, layer.outputs())));
        });
    }

    /** {@return the hook that gives a layer's gradient on when both parts have come} */
    static GradientHook together(LearningRule.Learner learner) {
        Map<String, DenseLayer> layers = learner.model().layers().stream()
                .flatMap(layer -> Stream.of(weights(layer), biases(layer)).map(part -> new Part(part, layer)))
                .collect(Collectors.toMap(Part::name, Part::layer));
        return reduced -> {
            Set<DenseLayer> halfThere = new HashSet<>();
            return reduced.handle((part, sink) -> {
                DenseLayer layer = layers.get(part.name());
                if (layer != null && !halfThere.add(layer)) {
                    sink.next(new Gradient(layer.name(), learner.tensors().of(layer)));
                }
            });
        };
    }

    /** One of the two gradients of a layer. */
    private record Part(String name, DenseLayer layer) {}
}

package io.reactivecomm.samples.programs.train;

import io.reactivecomm.Tensor;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.TrainingStep;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A step whose gradients are each layer's weights and biases, for hooks that treat them differently: the weights are a matrix, which some codecs use.
 *
 * <pre>
 *   layer1 ── apart ──&gt; layer1.weight, layer1.bias ── hooks ── both are back ──&gt; layer1
 * </pre>
 *
 * <p><b>Buffers.</b> Both parts are slices of the layer's tensor, so that nothing is copied.
 */
final class WeightsAndBiases implements TrainingStep {

    private final Mlp model;
    private final LayerTensors tensors;
    private final TrainingStep layers;
    private final Map<String, DenseLayer> layerOf;
    private final Set<DenseLayer> halfThere = ConcurrentHashMap.newKeySet();

    /** @param layers the step whose gradients are whole layers */
    WeightsAndBiases(Mlp model, LayerTensors tensors, TrainingStep layers) {
        this.model = model;
        this.tensors = tensors;
        this.layers = layers;
        this.layerOf = model.layers().stream()
                .flatMap(layer -> Stream.of(weights(layer), biases(layer)).map(part -> new Part(part, layer)))
                .collect(Collectors.toMap(Part::name, Part::layer));
    }

    static String weights(DenseLayer layer) {
        return layer.name() + ".weight";
    }

    static String biases(DenseLayer layer) {
        return layer.name() + ".bias";
    }

    @Override
    public Flux<Gradient> gradients() {
        return layers.gradients().concatMapIterable(this::apart);
    }

    private List<Gradient> apart(Gradient gradient) {
        DenseLayer layer = model.layer(gradient.name());
        Tensor whole = gradient.tensor();
        long weights = (long) layer.outputs() * layer.inputs();
        return List.of(
                new Gradient(weights(layer), whole.slice(0, weights)),
                new Gradient(biases(layer), whole.slice(weights, layer.outputs())));
    }

    /** The layer is taken back with its second part. */
    @Override
    public Mono<Void> takeBack(Gradient part) {
        DenseLayer layer = Objects.requireNonNull(layerOf.get(part.name()));
        boolean isWhole = !halfThere.add(layer);
        return isWhole ? layers.takeBack(new Gradient(layer.name(), tensors.of(layer))) : Mono.empty();
    }

    /** One of the two gradients of a layer. */
    private record Part(String name, DenseLayer layer) {}
}

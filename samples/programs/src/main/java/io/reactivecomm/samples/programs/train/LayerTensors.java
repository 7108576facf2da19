package io.reactivecomm.samples.programs.train;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.train.Gradient;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A tensor for each layer, in which its parameters or their gradient travel: in the host's memory or on a device. The host computes; where tensors
 * are on a device it writes and reads them by others of its own, moved by the group:
 *
 * <pre>
 *   fill    values ── host's tensor ── move, enqueued ──&gt; device ── calls on it wait there
 *   fetch   device ── move ──&gt; host's tensor ── load, subtract
 * </pre>
 *
 * <p><b>Buffers.</b> Allocated once and used for every step: a step's calls end before the next one's begin. Closing frees them.
 */
public final class LayerTensors implements AutoCloseable {

    private final Device device;
    private final Map<String, Place> places;

    /**
     * The tensors of one layer.
     *
     * @param travelling its values on their way
     * @param ofHost where the host has them: the same tensor if that is the host's
     * @param group that moves from one to the other; null if there is nothing to move
     */
    private record Place(
            Tensor travelling, Tensor ofHost, @Nullable ProcessGroup group) {

        private void sent() {
            if (group != null) {
                group.move(List.of(Move.copy(ofHost, travelling)));
            }
        }

        private Mono<Void> fetched() {
            return group == null
                    ? Mono.empty()
                    : Mono.defer(() ->
                            group.move(List.of(Move.copy(travelling, ofHost))).completed());
        }

        private void close() {
            travelling.close();
            ofHost.close();
        }
    }

    private LayerTensors(Device device, Map<String, Place> places) {
        this.device = device;
        this.places = Map.copyOf(places);
    }

    /** {@return new tensors of the group's memory on a device} */
    static LayerTensors allocate(ProcessGroup group, Device device, List<DenseLayer> layers) {
        return new LayerTensors(
                device,
                layers.stream()
                        .collect(Collectors.toMap(
                                DenseLayer::name, layer -> place(group, device, layer.parameters().length))));
    }

    private static Place place(ProcessGroup group, Device device, long count) {
        Tensor ofHost = group.allocate(DType.FLOAT32, count);
        return device.equals(Device.CPU)
                ? new Place(ofHost, ofHost, null)
                : new Place(group.allocate(device, DType.FLOAT32, count), ofHost, group);
    }

    /** {@return the tensors of those gradients, in the host's memory, which are named like the layers} */
    public static LayerTensors of(List<Gradient> gradients) {
        return new LayerTensors(
                Device.CPU,
                gradients.stream()
                        .collect(Collectors.toMap(
                                Gradient::name, each -> new Place(each.tensor(), each.tensor(), null))));
    }

    /** {@return where they travel} */
    Device device() {
        return device;
    }

    /** {@return the layer's tensor, filled with these values, or with that enqueued} */
    Tensor fill(DenseLayer layer, float[] values) {
        Place place = at(layer);
        MemorySegment.copy(values, 0, place.ofHost.segment(), ValueLayout.JAVA_FLOAT, 0, values.length);
        place.sent();
        return place.travelling;
    }

    /** Emits when the host has what has come into the layer's tensor: before it is loaded or subtracted. */
    Mono<Void> fetch(DenseLayer layer) {
        return at(layer).fetched();
    }

    /** Copies the layer's tensor into its parameters. */
    void load(DenseLayer layer) {
        float[] parameters = layer.parameters();
        MemorySegment.copy(at(layer).ofHost.segment(), ValueLayout.JAVA_FLOAT, 0, parameters, 0, parameters.length);
    }

    /** Subtracts the layer's tensor, multiplied with a factor, from its parameters. */
    void subtract(DenseLayer layer, float factor) {
        float[] parameters = layer.parameters();
        MemorySegment values = at(layer).ofHost.segment();
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] -= factor * values.getAtIndex(ValueLayout.JAVA_FLOAT, i);
        }
    }

    /** {@return the layer's tensor} */
    Tensor of(DenseLayer layer) {
        return at(layer).travelling;
    }

    private Place at(DenseLayer layer) {
        Place place = places.get(layer.name());
        if (place == null) {
            throw new IllegalArgumentException(
                    "no tensor for a layer: layer=" + layer.name() + ", layers=" + places.keySet());
        }
        return place;
    }

    @Override
    public void close() {
        places.values().forEach(Place::close);
    }
}

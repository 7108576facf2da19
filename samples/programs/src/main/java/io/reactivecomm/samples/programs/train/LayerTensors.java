package io.reactivecomm.samples.programs.train;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.hook.Gradient;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A tensor for each layer, in which its parameters or their gradient travel.
 *
 * <p><b>Buffers.</b> Allocated once and used for every step: a step's calls end before the next one's begin. Closing frees them.
 */
public final class LayerTensors implements AutoCloseable {

    private final Map<String, Tensor> tensors;

    private LayerTensors(Map<String, Tensor> tensors) {
        this.tensors = Map.copyOf(tensors);
    }

    /** {@return new tensors of the group's memory} */
    static LayerTensors allocate(ProcessGroup group, List<DenseLayer> layers) {
        return new LayerTensors(layers.stream()
                .collect(Collectors.toMap(
                        DenseLayer::name, layer -> group.allocate(DType.FLOAT32, layer.parameters().length))));
    }

    /** {@return the tensors of those gradients, which are named like the layers} */
    public static LayerTensors of(List<Gradient> gradients) {
        return new LayerTensors(gradients.stream().collect(Collectors.toMap(Gradient::name, Gradient::tensor)));
    }

    /** {@return the layer's tensor, filled with these values} */
    Tensor fill(DenseLayer layer, float[] values) {
        Tensor tensor = of(layer);
        MemorySegment.copy(values, 0, tensor.segment(), ValueLayout.JAVA_FLOAT, 0, values.length);
        return tensor;
    }

    /** Copies the layer's tensor into its parameters. */
    void load(DenseLayer layer) {
        float[] parameters = layer.parameters();
        MemorySegment.copy(of(layer).segment(), ValueLayout.JAVA_FLOAT, 0, parameters, 0, parameters.length);
    }

    /** Subtracts the layer's tensor, multiplied with a factor, from its parameters. */
    void subtract(DenseLayer layer, float factor) {
        float[] parameters = layer.parameters();
        MemorySegment values = of(layer).segment();
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] -= factor * values.getAtIndex(ValueLayout.JAVA_FLOAT, i);
        }
    }

    /** {@return the layer's tensor} */
    Tensor of(DenseLayer layer) {
        Tensor tensor = tensors.get(layer.name());
        if (tensor == null) {
            throw new IllegalArgumentException(
                    "no tensor for a layer: layer=" + layer.name() + ", layers=" + tensors.keySet());
        }
        return tensor;
    }

    @Override
    public void close() {
        tensors.values().forEach(Tensor::close);
    }
}

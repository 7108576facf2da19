package io.reactivecomm.pytorch;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.train.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.StringTensorDict;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A parameter or a buffer of a model.
 *
 * @param name with the names of the modules around it
 * @param tensor a reference of its own
 * @param isParameter whether it is a parameter
 * @param address of its elements when the model was taken
 * @param needsGradient whether it was to be trained then
 */
record ModelTensor(String name, Tensor tensor, boolean isParameter, long address, boolean needsGradient) {

    /** {@return the parameters of a model, then its buffers, each tensor once} */
    static List<ModelTensor> of(Module module) {
        List<ModelTensor> all = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        collect(module.named_parameters(), true, seen, all);
        collect(module.named_buffers(), false, seen, all);
        return all;
    }

    private static void collect(StringTensorDict named, boolean areParameters, Set<Long> seen, List<ModelTensor> all) {
        for (long i = 0; i < named.size(); i++) {
            Tensor tensor = new Tensor(named.get(i).value());
            if (tensor.defined() && seen.add(tensor.unsafeGetTensorImpl().address())) {
                all.add(new ModelTensor(
                        named.get(i).key().getString(),
                        tensor,
                        areParameters,
                        TorchMemory.address(tensor),
                        tensor.requires_grad()));
            }
        }
    }

    /** {@return the reason why it cannot be replicated; null if it can} */
    @Nullable String refusal() {
        if (!tensor.is_cpu()) {
            return name
                    + " is on a device, and only models in the host's memory are supported; move the model with to(new Device(\"cpu\"))";
        }
        if (tensor.is_sparse() || tensor.is_quantized() || TorchMemory.type(tensor) == null) {
            return name + " has elements that are not supported: type="
                    + tensor.scalar_type().intern()
                    + "; use dense tensors of floating-point numbers, integers or booleans";
        }
        if (!tensor.is_non_overlapping_and_dense()) {
            return name + " has gaps or overlaps in memory: shape=" + Arrays.toString(shape()) + ", strides="
                    + Arrays.toString(strides()) + "; make it contiguous";
        }
        return null;
    }

    DType type() {
        return Objects.requireNonNull(TorchMemory.type(tensor), "a tensor of this type is refused before");
    }

    Parameter parameter() {
        return new Parameter(name, type(), shape());
    }

    long[] shape() {
        return TorchMemory.values(tensor.sizes());
    }

    long[] strides() {
        return TorchMemory.values(tensor.strides());
    }

    /** {@return the facts that ranks compare} */
    String description() {
        return (isParameter ? "parameter " : "buffer ") + name + ' '
                + tensor.scalar_type().intern()
                + Arrays.toString(shape()) + " strides=" + Arrays.toString(strides()) + " requires_grad="
                + needsGradient;
    }

    /** Checks that the program has not replaced it. */
    void requireUnchanged(DType type) {
        DType now = TorchMemory.type(tensor);
        if (now != type || TorchMemory.address(tensor) != address || tensor.requires_grad() != needsGradient) {
            throw new InvalidCallException("a parameter has changed since DistributedDataParallel.of: name=" + name
                    + ", type=" + type + " -> " + now + ", requires_grad=" + needsGradient + " -> "
                    + tensor.requires_grad() + ", moved=" + (TorchMemory.address(tensor) != address)
                    + "; close this object and make another one after the change");
        }
    }
}

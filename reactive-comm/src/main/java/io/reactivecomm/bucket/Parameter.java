package io.reactivecomm.bucket;

import io.reactivecomm.DType;
import io.reactivecomm.Device;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import java.util.Objects;

/**
 * The facts that all ranks know of a gradient before it comes.
 *
 * @param name the gradient's
 * @param type its elements'
 * @param count the number of its elements
 * @param device where they are on this rank. Other ranks may have them on a device of another index; those that lie together here do so there
 */
public record Parameter(String name, DType type, long count, Device device) {

    public Parameter {
        Objects.requireNonNull(name, () -> "a parameter has no name: type=" + type + ", count=" + count + "; give one, the same on all ranks");
        Objects.requireNonNull(type, () -> "a parameter has no type: name=" + name + ", count=" + count + "; give its elements'");
        Objects.requireNonNull(device, () -> "a parameter has no device: name=" + name + "; give where its elements are, such as Device.CPU");
        if (count < 0 || count > Long.MAX_VALUE / Long.BYTES) {
            throw new InvalidCallException("no gradient is so large: name=" + name + ", count=" + count + "; register what a tensor can hold");
        }
    }

    /** The facts of a gradient in the host's memory. */
    public Parameter(String name, DType type, long count) {
        this(name, type, count, Device.CPU);
    }

    /** {@return whether a gradient's tensor is as this says} */
    boolean isOf(Tensor tensor) {
        return tensor.type() == type && tensor.count() == count && tensor.device().equals(device);
    }

    @Override
    public String toString() {
        return name + " " + type + "[" + count + "]" + (device.equals(Device.CPU) ? "" : " on " + device);
    }
}

package io.reactivecomm.train;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The description of a gradient before it comes, the same on all ranks: buckets are planned from it.
 *
 * @param name the gradient's name
 * @param type the type of its elements
 * @param shape its dimensions; a gradient may come with other dimensions and as many elements, as one does that lives in its bucket
 * @param device the device of the elements on this rank. Other ranks may use a device of another index, but the same gradients share one
 * @param isSparse whether it comes as some rows of the shape ({@link Gradient#rows})
 */
public record Parameter(String name, DType type, List<Long> shape, Device device, boolean isSparse) {

    public Parameter {
        List<Long> given = shape;
        Objects.requireNonNull(
                name,
                () -> "a parameter has no name: type=" + type + ", shape=" + given
                        + "; give one, the same on all ranks");
        Objects.requireNonNull(
                type, () -> "a parameter has no type: name=" + name + ", shape=" + given + "; give its elements'");
        Objects.requireNonNull(
                device,
                () -> "a parameter has no device: name=" + name + "; give where its elements are, such as Device.CPU");
        shape = List.copyOf(Objects.requireNonNull(
                shape, () -> "a parameter has no shape: name=" + name + "; give its dimensions"));
        if (!isPossible(shape)) {
            throw new InvalidCallException(
                    "no gradient is so large: name=" + name + ", shape=" + shape + "; register what a tensor can hold");
        }
        if (isSparse && shape.isEmpty()) {
            throw new InvalidCallException(
                    "a sparse gradient has no rows to be some of: name=" + name + "; give the shape of the dense one");
        }
    }

    /** A dense gradient in the host's memory. */
    public Parameter(String name, DType type, long... shape) {
        this(name, type, Device.CPU, shape);
    }

    /** A dense gradient on a device. */
    public Parameter(String name, DType type, Device device, long... shape) {
        this(name, type, boxed(shape), device, false);
    }

    /** {@return a sparse gradient in the host's memory} @param shape of the dense tensor that it stands for: rows first */
    public static Parameter sparse(String name, DType type, long... shape) {
        return sparse(name, type, Device.CPU, shape);
    }

    /** {@return a sparse gradient whose values are on a device} @param shape of the dense tensor that it stands for: rows first */
    public static Parameter sparse(String name, DType type, Device device, long... shape) {
        return new Parameter(name, type, boxed(shape), device, true);
    }

    /** {@return the description of a gradient} */
    public static Parameter of(Gradient gradient) {
        Objects.requireNonNull(gradient, "gradient");
        Tensor tensor = gradient.tensor();
        SparseTensor rows = gradient.rows();
        long[] shape = tensor.shape();
        if (rows != null && shape.length > 0) {
            shape[0] = rows.rows();
        }
        return new Parameter(gradient.name(), tensor.type(), boxed(shape), tensor.device(), rows != null);
    }

    private static List<Long> boxed(long[] shape) {
        Objects.requireNonNull(shape, "shape");
        return Arrays.stream(shape).boxed().toList();
    }

    private static boolean isPossible(List<Long> shape) {
        boolean isEmpty = shape.contains(0L);
        long most = Long.MAX_VALUE / Long.BYTES;
        for (long dimension : shape) {
            if (dimension < 0 || !isEmpty && dimension > most) {
                return false;
            }
            most = isEmpty ? most : most / dimension;
        }
        return true;
    }

    /** {@return the number of its elements} */
    public long count() {
        long count = 1;
        for (long dimension : shape) {
            count *= dimension;
        }
        return count;
    }

    @Override
    public String toString() {
        return name + " " + type + shape + (isSparse ? " sparse" : "")
                + (device.equals(Device.CPU) ? "" : " on " + device);
    }
}

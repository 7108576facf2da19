package io.reactivecomm.hook;

import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The derivative of the loss by a parameter, on its way through the hooks: a tensor, or some rows of one whose others are zeros, such as that of an
 * embedding.
 *
 * <p><b>Buffers.</b> A tensor is reduced in place. Rows are reduced into others, since ranks have different ones: what comes out of buckets has rows of its
 * own, which the subscriber closes; those that were handed over stay the producer's, and are borrowed until then.
 *
 * @param name the parameter's, the same on all ranks; by it the ranks' gradients find each other, in whatever order they are ready
 * @param tensor its elements, which the hooks reduce in place: theirs from the moment in which it is handed over until it comes back. Of rows their values
 * @param rows the rows of a sparse gradient, or null
 */
public record Gradient(String name, Tensor tensor, @Nullable SparseTensor rows) {

    public Gradient {
        Objects.requireNonNull(
                name,
                () -> "a gradient has no name: tensor=" + tensor + "; give its parameter's, the same on all ranks");
        Objects.requireNonNull(tensor, () -> "a gradient has no elements: name=" + name + "; give their tensor");
        if (rows != null && rows.values() != tensor) {
            throw new IllegalArgumentException("a gradient has other elements than its rows: name=" + name + ", tensor="
                    + tensor + ", values=" + rows.values() + "; give one of the two");
        }
    }

    /** A dense gradient. */
    public Gradient(String name, Tensor tensor) {
        this(name, tensor, null);
    }

    /** {@return a sparse gradient} */
    public static Gradient sparse(String name, SparseTensor rows) {
        Objects.requireNonNull(
                rows, () -> "a gradient has no rows: name=" + name + "; give a sparse tensor, perhaps of no rows");
        return new Gradient(name, rows.values(), rows);
    }
}

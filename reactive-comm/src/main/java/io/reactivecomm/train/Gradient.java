package io.reactivecomm.train;

import io.reactivecomm.DType;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The derivative of the loss by one parameter in one step; or the notice that a backward pass produces none. It is a tensor, or some rows of a tensor whose
 * other rows are zeros, such as the gradient of an embedding.
 *
 * <pre>{@code
 * sink.next(new Gradient("layer1.weight", values));      // produced
 * sink.next(Gradient.absent("expert7.weight"));          // this rank's tokens chose other experts
 * sink.next(Gradient.kept("shared.weight"));             // accumulated in its home by earlier passes, not in this one
 * }</pre>
 *
 * <p>Only a step's {@code Flux} has notices. {@link GradientHook#apply} and {@link TrainingStep#takeBack} receive produced gradients.
 *
 * <p><b>Buffers.</b> A dense gradient is reduced in place. Its tensor belongs to the hooks from the moment in which the step's {@code Flux} emits it until it
 * comes back, or until the step's terminal signal. The rows of a sparse gradient stay the producer's and are borrowed for the same time; the rows that come
 * back are new, and their receiver closes them.
 *
 * @param name the parameter's name, the same on all ranks; ranks match gradients by it, in whatever order they are ready
 * @param kind whether this rank produced it
 * @param tensor its elements; of a sparse gradient the values of its rows; of a notice no elements
 * @param rows the rows of a sparse gradient, otherwise null
 */
public record Gradient(
        String name, Kind kind, Tensor tensor, @Nullable SparseTensor rows) {

    /** The three things that a backward pass may say of a parameter. */
    public enum Kind {
        /** This rank has the gradient. */
        PRODUCED,
        /** This rank does not produce it in this step. It counts as zeros if another rank has it. */
        ABSENT,
        /**
         * This rank does not produce it in this step either, but its {@linkplain GradientHook#kept home} is summed as it stands. It does not count as present: if
         * no rank produced the gradient, none comes back, and all homes hold the sum.
         */
        KEPT
    }

    /** The elements of a notice. Wrapped, since memory that is never freed would keep the class loader. */
    private static final Tensor NOTHING = Tensor.wrap(MemorySegment.NULL, DType.UINT8, 0);

    public Gradient {
        Objects.requireNonNull(
                name,
                () -> "a gradient has no name: tensor=" + tensor + "; give its parameter's, the same on all ranks");
        Objects.requireNonNull(kind, () -> "a gradient has no kind: name=" + name + "; give Kind.PRODUCED");
        Objects.requireNonNull(tensor, () -> "a gradient has no elements: name=" + name + "; give their tensor");
        if (rows != null && rows.values() != tensor) {
            throw new IllegalArgumentException("a gradient has other elements than its rows: name=" + name + ", tensor="
                    + tensor + ", values=" + rows.values() + "; give one of the two");
        }
    }

    /** A dense gradient that this rank has produced. */
    public Gradient(String name, Tensor tensor) {
        this(name, Kind.PRODUCED, tensor, null);
    }

    /** {@return a sparse gradient that this rank has produced} */
    public static Gradient sparse(String name, SparseTensor rows) {
        Objects.requireNonNull(
                rows, () -> "a gradient has no rows: name=" + name + "; give a sparse tensor, perhaps of no rows");
        return new Gradient(name, Kind.PRODUCED, rows.values(), rows);
    }

    /**
     * {@return the notice that this rank does not produce a gradient in this step}
     * A parameter that is never mentioned is absent, too, at the end of the pass. The notice lets its bucket begin earlier.
     */
    public static Gradient absent(String name) {
        return new Gradient(name, Kind.ABSENT, NOTHING, null);
    }

    /** {@return the notice that this rank does not produce a gradient in this step, and that its home is summed as it stands} */
    public static Gradient kept(String name) {
        return new Gradient(name, Kind.KEPT, NOTHING, null);
    }
}

package io.reactivecomm.device;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The way of some elements from one memory to another, with a factor and a conversion of their type where they need one; or zeros for a tensor.
 *
 * <p>{@link ProcessGroup#move} takes a list of them. Either tensor may be in the host's memory or a device's.
 *
 * <p><b>Shapes.</b> As many elements on both sides; their shapes may differ. Elements that keep type and value may be of any type. Others are floating
 * point, but not FLOAT8: the product is rounded once in FLOAT32, or in FLOAT64 if that is one of the two types, and then to the type of {@code to}.
 *
 * <p><b>In place.</b> {@code to} may be the very memory of {@code from} if both types are the same, never a shifted overlap.
 *
 * @param from what is read; null for zeros
 * @param to what is written
 * @param factor what each element is multiplied by; 1 for a copy
 */
public record Move(@Nullable Tensor from, Tensor to, double factor) {

    public Move {
        Objects.requireNonNull(
                to, () -> "a move has no tensor to write: from=" + from + "; give one of as many elements");
        if (from != null && from.count() != to.count()) {
            throw refused("are not as many", from, to, factor, "move slices of one length");
        }
        if (from != null && !isCopy(from, to, factor) && !(isFloat(from) && isFloat(to))) {
            throw refused(
                    "cannot become each other",
                    from,
                    to,
                    factor,
                    "convert and scale floating point only, and copy all else");
        }
    }

    /** {@return the move of elements as they are, but for their type} */
    public static Move copy(Tensor from, Tensor to) {
        return new Move(read(from, to), to, 1);
    }

    private static Tensor read(Tensor from, Tensor to) {
        return Objects.requireNonNull(
                from,
                () -> "a move has no tensor to read: to=" + to
                        + "; give one of as many elements, or fill with Move.zeros");
    }

    /** {@return the move of elements that are multiplied by a factor on the way} */
    public static Move scaled(Tensor from, Tensor to, double factor) {
        return new Move(read(from, to), to, factor);
    }

    /** {@return what fills a tensor with zeros} */
    public static Move zeros(Tensor to) {
        return new Move(null, to, 1);
    }

    private static boolean isCopy(Tensor from, Tensor to, double factor) {
        return from.type() == to.type() && factor == 1;
    }

    private static boolean isFloat(Tensor tensor) {
        return tensor.type().family() == DType.Family.FLOAT;
    }

    private static InvalidCallException refused(String what, Tensor from, Tensor to, double factor, String remedy) {
        return new InvalidCallException(
                "elements " + what + ": from=" + from + ", to=" + to + ", factor=" + factor + "; " + remedy);
    }
}

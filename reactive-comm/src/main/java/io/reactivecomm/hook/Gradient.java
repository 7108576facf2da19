package io.reactivecomm.hook;

import io.reactivecomm.Tensor;
import java.util.Objects;

/**
 * The derivative of the loss by a parameter, on its way through the hooks.
 *
 * @param name the parameter's, the same on all ranks; by it the ranks' gradients find each other, in whatever order they are ready
 * @param tensor its elements, which the hooks reduce in place: theirs from the moment in which it is handed over until it comes back
 */
public record Gradient(String name, Tensor tensor) {

    public Gradient {
        Objects.requireNonNull(name, () -> "a gradient has no name: tensor=" + tensor + "; give its parameter's, the same on all ranks");
        Objects.requireNonNull(tensor, () -> "a gradient has no elements: name=" + name + "; give their tensor");
    }
}

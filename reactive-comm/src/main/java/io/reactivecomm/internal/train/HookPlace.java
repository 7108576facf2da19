package io.reactivecomm.internal.train;

import java.util.Objects;
import java.util.function.Predicate;

/**
 * The properties of a hook that decide the way of gradients through a step.
 *
 * @param hasGroup whether it reduces over ranks, and so may produce a gradient that this rank lacks
 * @param names whether it takes a gradient of a name
 */
public record HookPlace(boolean hasGroup, Predicate<String> names) {

    public HookPlace {
        Objects.requireNonNull(names, "names");
    }
}

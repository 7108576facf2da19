package io.reactivecomm;

import java.util.Objects;

/**
 * One dimension of a {@link GroupMesh}.
 *
 * @param name such as {@code data} or {@code model}
 * @param size ranks along it
 */
public record Dimension(String name, int size) {

    public Dimension {
        Objects.requireNonNull(name, "name");
    }
}

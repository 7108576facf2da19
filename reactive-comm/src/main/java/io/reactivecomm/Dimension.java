package io.reactivecomm;

/**
 * One dimension of a {@link GroupMesh}.
 *
 * @param name such as {@code data} or {@code model}
 * @param size ranks along it
 */
public record Dimension(String name, int size) {}

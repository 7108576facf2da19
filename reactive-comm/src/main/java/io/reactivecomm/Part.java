package io.reactivecomm;

import java.util.Objects;

/**
 * A part of a collective's result that has landed: its elements are final.
 *
 * @param rank whose part it is, in the group
 * @param from its first element, in that rank's part
 * @param tensor a view of the output that holds it; shares the output's life
 */
public record Part(int rank, long from, Tensor tensor) {

    public Part {
        Objects.requireNonNull(tensor, "tensor");
    }
}

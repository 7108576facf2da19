package io.reactivecomm.compression.internal.state;

import io.reactivecomm.DType;
import java.util.List;

/**
 * The elements whose state is kept under a name. State of others is refused.
 *
 * @param codec the label of what encodes them, and of the plan if there is one
 * @param type of the elements
 * @param count of the elements
 * @param ranks of the group
 * @param rank this one's in it
 * @param kept the tensors that a step leaves to the next
 */
public record StateShape(String codec, DType type, long count, int ranks, int rank, List<Kept> kept) {

    /** A tensor that a step leaves to the next. */
    public record Kept(DType type, long count) {}

    public StateShape {
        kept = List.copyOf(kept);
    }

    /** {@return whether it is the same but for the ranks} */
    public boolean isOfSameElements(StateShape other) {
        return codec.equals(other.codec) && type == other.type && count == other.count;
    }

    @Override
    public String toString() {
        return codec + ", " + type + " × " + count + ", rank " + rank + " of " + ranks;
    }
}

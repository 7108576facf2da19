package io.reactivecomm.schedule;

import java.util.List;

/**
 * What one rank does in one call.
 *
 * @param algorithm the algorithm's name; all ranks of a call must run the same
 * @param steps the steps; their order numbers the transfers between two ranks and is otherwise free
 * @param scratchCount elements of scratch that the call needs
 */
public record Schedule(String algorithm, List<Step> steps, long scratchCount) {

    public Schedule {
        steps = List.copyOf(steps);
    }

    /** {@return a number that differs between algorithms and is the same in every process} */
    public long fingerprint() {
        return algorithm.hashCode();
    }
}

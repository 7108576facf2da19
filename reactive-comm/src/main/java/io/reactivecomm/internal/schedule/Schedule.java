package io.reactivecomm.internal.schedule;

import java.util.List;

/**
 * The steps of one rank in one call.
 *
 * @param algorithm the algorithm's name; all ranks of a call must run the same
 * @param steps the steps; their order numbers the transfers between two ranks and is otherwise free
 * @param scratchCount elements of scratch that the call needs
 * @param needsNoGrants whether its transfers must travel with their announcements: this rank grants nothing before its own have left
 */
public record Schedule(String algorithm, List<Step> steps, long scratchCount, boolean needsNoGrants) {

    public Schedule {
        steps = List.copyOf(steps);
    }

    /** A schedule whose transfers may wait for grants. */
    public Schedule(String algorithm, List<Step> steps, long scratchCount) {
        this(algorithm, steps, scratchCount, false);
    }

    /** {@return a number that differs between algorithms and is the same in every process} */
    public long fingerprint() {
        return algorithm.hashCode();
    }
}

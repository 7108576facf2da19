package io.reactivecomm.internal.schedule;

import io.reactivecomm.collective.Fingerprint;
import java.util.List;

/**
 * The steps of one rank in one call.
 *
 * @param algorithm the algorithm's name; all ranks of a call must run the same
 * @param steps the steps; their order numbers the transfers between two ranks and is otherwise free
 * @param scratchCount elements of scratch that the call needs
 * @param needsNoGrants whether its transfers must travel with their announcements: this rank grants nothing before its own have left
 * @param pieceElements elements of a piece, where pieces shorter than usual serve it best, or 0
 * @param layout the fingerprint of the layout that it goes by, or 0 if it is the same for all
 */
public record Schedule(
        String algorithm, List<Step> steps, long scratchCount, boolean needsNoGrants, long pieceElements, long layout) {

    public Schedule {
        steps = List.copyOf(steps);
    }

    /** A schedule for any layout, whose transfers may wait for grants. */
    public Schedule(String algorithm, List<Step> steps, long scratchCount) {
        this(algorithm, steps, scratchCount, false, 0, 0);
    }

    /** {@return the same steps, which hold for that layout alone, in pieces of so many elements, or 0 for usual ones} */
    public Schedule over(Layout hosts, long piece) {
        return new Schedule(algorithm, steps, scratchCount, needsNoGrants, piece, hosts.fingerprint());
    }

    /** {@return a number that differs between algorithms, and between layouts where they go by it, and is the same in every process} */
    public long fingerprint() {
        return layout == 0 ? algorithm.hashCode() : Fingerprint.mix(layout, algorithm.hashCode());
    }
}

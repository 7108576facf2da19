package io.reactivecomm.timing;

import io.reactivecomm.timing.CommsSummary.Known;
import io.reactivecomm.timing.CommsSummary.Phases;

/**
 * The figures of one subscription of a timing operator: what the calls under it did until then.
 *
 * @param nanos from the subscription until then
 * @param calls that have begun under it, composite calls and their parts among them
 * @param succeeded of them
 * @param failed of them; the rest goes on
 * @param callNanos of those that succeeded, one by one; they may be more than {@code nanos}, since calls overlap
 * @param phases of those that succeeded
 * @param payloadBytes that this rank gave to its links for those that succeeded
 * @param headerBytes of frames for those
 */
public record CallFigures(
        long nanos,
        long calls,
        long succeeded,
        long failed,
        long callNanos,
        Phases phases,
        Known payloadBytes,
        Known headerBytes) {

    /** {@return whether a call was heard of} If not, there was none, or an operator between subscribes without its subscriber's Context. */
    public boolean isTimed() {
        return calls > 0;
    }
}

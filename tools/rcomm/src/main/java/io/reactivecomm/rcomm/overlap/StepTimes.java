package io.reactivecomm.rcomm.overlap;

import java.util.List;

/**
 * The times of one rank in one step.
 *
 * <pre>
 *   compute          │ forward │ backward ···················│            │ optimizer │
 *   reductions                      ├─ bucket 0 ─┤  ├─ bucket 1 ──────────┤
 *   communication                   ├────────────┤  ├─────────────────────┤
 *   exposed                                                  ├────────────┤
 * </pre>
 *
 * @param step the whole step
 * @param backwardEndNanos the end of the backward pass, since the epoch
 * @param compute what the compute thread was busy with
 * @param reductions each bucket's call, from its subscription to its completion; index = bucket
 */
record StepTimes(TimeSpan step, long backwardEndNanos, List<TimeSpan> compute, List<TimeSpan> reductions) {

    /** {@return how long the step took} */
    long stepNanos() {
        return step.toNanos() - step.fromNanos();
    }

    /** {@return how long the compute thread was busy} */
    long computeNanos() {
        return TimeSpan.unionNanos(compute);
    }

    /** {@return how long at least one reduction was in flight} */
    long communicationNanos() {
        return TimeSpan.unionNanos(reductions);
    }

    /**
     * {@return the time from the end of the backward pass until the last reduction was there}
     * All of it counts as waiting, although the optimizer already works on buckets that are back: so nothing is called hidden that is
     * not hidden by the backward pass.
     */
    long exposedNanos() {
        long lastEnd = reductions.stream().mapToLong(TimeSpan::toNanos).max().orElse(backwardEndNanos);
        return Math.max(0, lastEnd - backwardEndNanos);
    }
}

package io.reactivecomm.internal.driver;

import java.util.concurrent.TimeUnit;

/**
 * The least delay of those seen in the last ten to twenty seconds, from asking for a piece to its first byte.
 *
 * <p>The least is the way's own: any other has waited for a loop that was busy, or behind other pieces. So a busy loop does not pass for a long way.
 * A way that has become longer is noticed by delays of pieces that waited behind none; as long as there are no such, what was seen holds, however
 * long ago. Owned by the loop.
 */
final class LeastDelay {

    /** As long as BBR believes its own: less than routes last, and long enough for a program to pause. */
    static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private long before = Long.MAX_VALUE;
    private long current = Long.MAX_VALUE;
    private long since;

    /** @param isUndisturbed whether nothing came between */
    void saw(long delayNanos, boolean isUndisturbed, long now) {
        if (!isKnown()) {
            since = now;
        } else if (isUndisturbed && now - since > AGE_NANOS) {
            before = current;
            current = Long.MAX_VALUE;
            since = now;
        }
        current = Math.min(current, delayNanos);
    }

    /** {@return whether there was any} */
    boolean isKnown() {
        return current != Long.MAX_VALUE || before != Long.MAX_VALUE;
    }

    /** {@return the least, if there was any} */
    long nanos() {
        return Math.min(before, current);
    }
}

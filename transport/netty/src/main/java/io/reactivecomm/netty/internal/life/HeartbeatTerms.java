package io.reactivecomm.netty.internal.life;

import io.reactivecomm.Timeouts;
import java.util.concurrent.TimeUnit;

/**
 * The times that follow from how often ranks say that they live, and from how much silence they bear; the same on all ranks.
 *
 * <pre>
 *   0        limit / 3                   limit   + 2 beats: unheard   + 3.5 beats: a cut   + 5 beats
 *   |-- beats --|-- beats twice as often, ---|-----------|------------------|----------------|
 *               |   suspects told            |           majority: lost at once              told by now
 * </pre>
 *
 * <p>An outage shorter than the limit is heard to end in time. The last beat before it came at most one beat before it. The first one after
 * it at most half a beat after it, which leaves half a beat for the way.
 */
public record HeartbeatTerms(long beatNanos, long limitNanos) {

    /** So many looks go into {@link #settleNanos}, where they are in time. */
    static final int SETTLE_LOOKS = 6;

    public static HeartbeatTerms of(Timeouts timeouts) {
        return new HeartbeatTerms(
                timeouts.heartbeat().toNanos(), timeouts.silence().toNanos());
    }

    /** {@return so much silence makes a rank a suspect: there is a line in the log, and ranks look and say more often} */
    long suspectNanos() {
        return limitNanos / 3;
    }

    /** {@return so much silence can come of no outage within the limit: the rank is not heard} */
    long unheardNanos() {
        return limitNanos + 2 * beatNanos;
    }

    /** {@return how long a rank that is not heard waits for what others say of it} */
    long settleNanos() {
        return 3 * beatNanos / 2;
    }

    /** {@return the time between two looks: beats are that far apart, or twice as far where anybody is suspect} */
    long lookNanos(boolean anySuspect) {
        return anySuspect ? beatNanos / 4 : beatNanos;
    }

    /** {@return two looks that are this far apart mean that the process itself did not run} */
    long stallNanos() {
        return suspectNanos();
    }

    /** {@return the limit for a sentence, such as {@code 3 s}} */
    String limit() {
        return seconds(limitNanos);
    }

    static String seconds(long nanos) {
        long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
        return (millis % 1000 == 0 ? Long.toString(millis / 1000) : Double.toString(millis / 1000.0)) + " s";
    }
}

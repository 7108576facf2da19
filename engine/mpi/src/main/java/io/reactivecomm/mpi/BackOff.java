package io.reactivecomm.mpi;

import java.util.concurrent.locks.LockSupport;

/**
 * The pauses of a thread that looks again and again: each twice as long as the last, up to a millisecond, so that what has waited for long is held up by little.
 *
 * <p><b>Threads.</b> One.
 */
final class BackOff {

    private static final long FIRST_NANOS = 20_000;
    private static final long LONGEST_NANOS = 1_000_000;

    private long next = FIRST_NANOS;

    /** Sleeps; less if the thread is unparked. */
    void pause() {
        LockSupport.parkNanos(this, next);
        next = Math.min(2 * next, LONGEST_NANOS);
    }

    /** Something has gone on: the next pause is short again. */
    void reset() {
        next = FIRST_NANOS;
    }
}

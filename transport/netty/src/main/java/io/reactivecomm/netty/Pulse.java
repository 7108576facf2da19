package io.reactivecomm.netty;

import java.util.concurrent.TimeUnit;

/**
 * When a peer was last heard, and what that means.
 *
 * <p><b>Threads.</b> The control thread.
 */
final class Pulse {

    /** How often each rank says that it lives: ten losses before anybody worries. */
    static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** So much silence is worth a line in the log. */
    static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** So much silence is the peer's end: with it a stopped or unreachable rank is known after at most 3.5 s. */
    static final long DEAD_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** What a look at the clock shows. */
    enum Finding {
        ALIVE,
        /** Silent for {@link #WARN_NANOS}; found once a silence. */
        SILENT,
        DEAD
    }

    private long heardAt;
    private boolean warned;

    Pulse(long now) {
        heardAt = now;
    }

    void heard(long now) {
        heardAt = now;
        warned = false;
    }

    /** This process itself stood still for so long: the peer could not be heard, which is not its fault. */
    void forgive(long nanos, long now) {
        heardAt = Math.min(heardAt + nanos, now);
    }

    long silentNanos(long now) {
        return now - heardAt;
    }

    Finding look(long now) {
        long silent = silentNanos(now);
        if (silent >= DEAD_NANOS) {
            return Finding.DEAD;
        }
        if (silent >= WARN_NANOS && !warned) {
            warned = true;
            return Finding.SILENT;
        }
        return Finding.ALIVE;
    }
}

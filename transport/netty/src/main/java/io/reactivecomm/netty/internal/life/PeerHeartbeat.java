package io.reactivecomm.netty.internal.life;

/**
 * The time at which a peer was last heard, and its meaning.
 *
 * <p><b>Threads.</b> The control thread.
 */
final class PeerHeartbeat {

    /** The state of a peer by a look at the clock. */
    enum Liveness {
        ALIVE,
        /** Silent for long enough to be told; found once a silence. */
        SILENT,
        DEAD
    }

    private final long warnNanos;
    private final long deadNanos;
    private long heardAt;
    private boolean warned;

    /**
     * @param warnNanos so much silence is worth a line in the log
     * @param deadNanos so much silence is the peer's end, as far as this rank can tell
     */
    PeerHeartbeat(long warnNanos, long deadNanos, long now) {
        this.warnNanos = warnNanos;
        this.deadNanos = deadNanos;
        this.heardAt = now;
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

    Liveness look(long now) {
        long silent = silentNanos(now);
        if (silent >= deadNanos) {
            return Liveness.DEAD;
        }
        if (silent >= warnNanos && !warned) {
            warned = true;
            return Liveness.SILENT;
        }
        return Liveness.ALIVE;
    }
}

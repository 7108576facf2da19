package io.reactivecomm.rcomm.latency;

/**
 * One direction of a rank's way to the network: tells when a frame is through, after all that went before it.
 *
 * <p>It is a token bucket of a certain burst, kept as the time at which the way is free again. After a pause that time is the burst ago.
 */
public final class TokenBucket {

    private final Rate rate;
    private final long burstNanos;
    private long freeNanos;

    /**
     * Makes one that is full.
     *
     * @param nowNanos when it is
     */
    public TokenBucket(LinkShape shape, long nowNanos) {
        this.rate = shape.rate();
        this.burstNanos = rate.nanosOf(shape.burstBytes());
        this.freeNanos = nowNanos - burstNanos;
    }

    /** {@return when the last bit of so many bytes has left that are ready now} */
    public long sent(long nowNanos, long bytes) {
        return through(nowNanos, nowNanos, bytes);
    }

    /** {@return when the last bit of so many bytes is in that are here now: the first came as much earlier as they take} */
    public long received(long nowNanos, long bytes) {
        return through(nowNanos - rate.nanosOf(bytes), nowNanos, bytes);
    }

    private long through(long firstBitNanos, long nowNanos, long bytes) {
        freeNanos = later(freeNanos, firstBitNanos - burstNanos) + rate.nanosOf(bytes);
        return later(freeNanos, nowNanos);
    }

    private static long later(long one, long other) {
        return one - other >= 0 ? one : other;
    }
}

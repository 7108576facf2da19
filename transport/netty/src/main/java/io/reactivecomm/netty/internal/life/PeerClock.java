package io.reactivecomm.netty.internal.life;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The comparison of a peer's clock with this rank's own, by beats in both directions: (state, stamps, now) → estimates, without a clock.
 *
 * <pre>
 *   peer       ────── came (t1) ──────── sent (t2) ─────&gt;        offset = ((t1 − t0) + (t2 − t3)) / 2
 *                    ╱                      ╲                    round  = (t3 − t0) − (t2 − t1)
 *   this rank  ── sent (t0) ───────────── came (t3) ────&gt;        error  ≤ round / 2
 * </pre>
 *
 * <p>The offset is what the peer's clock is ahead. Each way took between nothing and the whole round, so half of that bounds the error, whatever
 * the ways are like. Clocks that run at different speeds part meanwhile, and {@link #MOST_DRIFT} of the whole time is added. Of many comparisons
 * that with the smallest bound is told: at once if it is a quarter better than the one told before, otherwise the best of each
 * {@link #WINDOW_NANOS}, since clocks drift on.
 *
 * <p><b>Source.</b> RFC 5905, section 8: the on-wire protocol.
 *
 * <p><b>Threads.</b> The control thread.
 */
final class PeerClock {

    /** Quartz is off by some ten parts in a million, and NTP slews by at most 500 while it corrects: 100 is beyond what two usual clocks part. */
    static final long MOST_DRIFT = 10_000;

    /** In ten seconds clocks part by less than a millisecond, and 100 beats of the usual rate have a quick one among them. */
    static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** An echo of a beat that is older tells nothing: the peer has been standing still. */
    static final long OLDEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private long heardSent;
    private long heardCame;
    private @Nullable Estimate best;
    private @Nullable Estimate told;
    private long toldAt;

    /**
     * A comparison.
     *
     * @param at the moment for which it holds, by this rank's clock
     * @param offsetNanos what the peer's clock is ahead of this rank's
     * @param boundNanos by how much the offset may be wrong, in either direction
     */
    record Estimate(long at, long offsetNanos, long boundNanos) {}

    /** {@return the stamps of a beat for the peer} */
    ClockStamps stamps(long now) {
        return new ClockStamps(now, heardSent, heardCame);
    }

    /**
     * A beat has come that no other of the peer's has overtaken.
     *
     * @return an estimate that is to be told, or null
     */
    @Nullable Estimate heard(ClockStamps stamps, long now) {
        if (!stamps.areThere()) {
            return null;
        }
        heardSent = stamps.sent();
        heardCame = now;
        if (canBe(stamps, now)) {
            consider(compare(stamps, now));
        }
        Estimate next = best;
        if (next == null || !isToBeTold(next, now)) {
            return null;
        }
        told = next;
        toldAt = now;
        best = null;
        return next;
    }

    /** Stamps are what a peer says. {@return whether the beat that they echo left this rank some time ago, and was no longer there than away} */
    private static boolean canBe(ClockStamps stamps, long now) {
        long whole = now - stamps.echoSent();
        long atPeer = stamps.sent() - stamps.echoCame();
        return stamps.echoSent() != 0
                && whole >= 0
                && whole <= OLDEST_NANOS
                && atPeer >= 0
                && atPeer <= whole + whole / MOST_DRIFT;
    }

    private void consider(Estimate next) {
        if (best == null || next.boundNanos < best.boundNanos) {
            best = next;
        }
    }

    private static Estimate compare(ClockStamps stamps, long now) {
        long whole = now - stamps.echoSent();
        long atPeer = stamps.sent() - stamps.echoCame();
        long round = Math.max(0, whole - atPeer);
        long there = stamps.echoCame() - stamps.echoSent();
        long back = stamps.sent() - now;
        // Half of their sum, where the sum may be more than a long holds.
        long offset = there + (back - there) / 2;
        return new Estimate(now - whole / 2, offset, (round + 1) / 2 + whole / MOST_DRIFT + 1);
    }

    private boolean isToBeTold(Estimate estimate, long now) {
        return told == null
                || now - toldAt >= WINDOW_NANOS
                || estimate.boundNanos < told.boundNanos - told.boundNanos / 4;
    }
}

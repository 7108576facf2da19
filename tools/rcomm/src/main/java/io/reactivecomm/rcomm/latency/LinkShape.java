package io.reactivecomm.rcomm.latency;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * The shape of a slow network, on one machine and without being root: a latency, and a rate that is a rank's, as a network card's is. All
 * its links together send no faster, and receive no faster, whatever the other direction does.
 *
 * <pre>
 *   rank 0                                                                  rank 1
 *     link to 1 ──┐               ┌── link to 1 ═════ TCP ════&gt; link ──┐
 *     link to 2 ──┼── departures ─┤                                    ├── arrivals ── latency ──&gt; engine
 *     link to 3 ──┘    (rate)     └── …         from 2 ═ TCP ═&gt; link ──┘    (rate)
 * </pre>
 *
 * <p><b>Departures.</b> What a rank writes to any of its links waits in one queue until its last bit would have left, and is handed to the
 * link then. Nothing is sent that would not be on its way yet.
 *
 * <p><b>Arrivals.</b> What comes in while the rate is taken by what came before waits for its turn, and then for the latency. Its
 * first bit came when the sender's card began with it, so that a frame is not held up twice: two ranks that only talk to each other find
 * the way in free whenever something comes.
 *
 * <p><b>In time.</b> Here is a frame of 4 ms, and two of 2 ms after it to another rank, without a burst, at 1 ms of latency:
 *
 * <pre>
 *   ms              0   1   2   3   4   5   6   7   8   9
 *   rank 0 sends    |── a to 1 ─────|─ b to 2 |─ c to 2 |
 *   rank 1          |── a ──────────| told at 5
 *   rank 2                          |─ b ─────| told at 7
 *                                             |─ c ─────| told at 9
 * </pre>
 *
 * <p><b>Bytes</b> are those of frames, with their headers. Those of TCP, IP and Ethernet are not counted, nor is what the kernel does with packets: between two network namespaces
 * behind a token bucket of 1 Gbit/s all-reduces of 64 MiB took 11 to 16 % longer.
 *
 * <p><b>No drift.</b> Each time is that of the frame before and what this one takes: a timer that is late makes one frame late, and not the
 * next.
 *
 * @param latency how much later all is told that comes
 * @param rate of what a rank sends, and of what it receives
 * @param burstBytes what goes at once after a pause. It makes up for timers, which are late by some tens of microseconds
 */
public record LinkShape(Duration latency, Rate rate, int burstBytes) {

    /** That of the token bucket beside which this was checked, 0.5 ms at 1 Gbit/s. */
    public static final int BURST_BYTES = 64 << 10;

    /** What takes 65 µs at 1 Gbit/s, about as much as timers are late: with it calls of few bytes are held to the rate, too. */
    private static final int SMALL_BURST_BYTES = 8 << 10;

    /** No call gets more than that part of it for nothing. */
    private static final int LEAST_BURSTS = 128;

    /** That of links which stay as they are. */
    public static final LinkShape NONE = of(Duration.ZERO, Rate.UNLIMITED);

    /** A nanosecond is the sixth digit of a millisecond. */
    private static final int NANOSECOND_DIGIT = 6;

    public LinkShape {
        if (latency.isNegative() || burstBytes < 0) {
            throw new IllegalArgumentException("no such shape of a link: latency=" + latency + ", burstBytes="
                    + burstBytes + "; give neither below 0");
        }
    }

    /** {@return the shape with the usual burst} */
    public static LinkShape of(Duration latency, Rate rate) {
        return new LinkShape(latency, rate, BURST_BYTES);
    }

    /** {@return the shape with a burst that is next to nothing of a call: for one of few bytes a small one, which late timers cost a part of the rate} */
    public LinkShape forCallsOf(long bytes) {
        return withBurst((int) Math.clamp(bytes / LEAST_BURSTS, SMALL_BURST_BYTES, BURST_BYTES));
    }

    /** {@return the shape with another burst} */
    public LinkShape withBurst(int bytes) {
        return new LinkShape(latency, rate, bytes);
    }

    /** {@return whether links stay as they are} */
    public boolean isNone() {
        return latency.isZero() && !rate.isLimited();
    }

    /** {@return the name of links that were called so before: {@code tcp + 2 ms at 1 Gbit/s}} */
    public String nameOf(String links) {
        BigDecimal millis =
                BigDecimal.valueOf(latency.toNanos(), NANOSECOND_DIGIT).stripTrailingZeros();
        return links
                + (latency.isZero() && rate.isLimited() ? "" : " + " + millis.toPlainString() + " ms")
                + (rate.isLimited() ? " at " + rate : "");
    }
}

package io.reactivecomm.internal.driver;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The gauge of the way from one peer: how many bytes under way keep it busy, by what has come over it.
 *
 * <pre>
 *   asked for ──── the way there ────┐
 *       |                            peer
 *   first byte &lt;── the way back ─────┘     the least of these delays is the way's
 *       |
 *   last byte                              bytes that came since it was asked for, by that time: a rate
 * </pre>
 *
 * <p>Both are filtered as in BBR, and so is their product: twice as much may be under way as rate times delay. What is under way bounds the rate that
 * can be seen, so it doubles each round trip until the rate grows no more; from then on the half of it waits at the sender. A rate is counted over
 * the longer of two spans, that in which its bytes came and that in which they were asked for: a loop that was held up finds much at once, and this
 * is no high rate.
 *
 * <p>What its sender had still to make counts as well: its delay is never less than the way's, and its bytes have come over it.
 *
 * <p><b>Source.</b> Cardwell and others, BBR: Congestion-Based Congestion Control, ACM Queue 14(5), 2016; for the rate,
 * draft-cheng-iccrg-delivery-rate-estimation.
 *
 * <p><b>Threads.</b> The loop.
 */
final class WayGauge {

    /** Less could not grow; more only waits at the sender. */
    private static final int GAIN = 2;

    private final long usualBytes;
    private final long pieceBytes;
    private final Map<Long, Asked> underWay = new HashMap<>();
    private final LeastDelay delay = new LeastDelay();
    private final MostRate rate = new MostRate();
    private long windowBytes;
    /** Under way of what lay ready at the sender. */
    private long readyBytes;

    private long cameBytes;
    /** When the last bytes came, or some were asked for after a pause. */
    private long cameAt;
    /** When the youngest of what has come was asked for. */
    private long cameWasAskedAt;

    /** A piece that was asked for; the last three are of the moment at which it was. */
    private record Asked(
            long at,
            int lengthBytes,
            boolean isAhead,
            boolean isMuch,
            long cameBytes,
            long cameAt,
            long cameWasAskedAt) {}

    /**
     * A gauge that has seen nothing.
     *
     * @param usualBytes what is under way as long as nothing is known
     * @param pieceBytes in what it is counted
     */
    WayGauge(long usualBytes, long pieceBytes) {
        this.usualBytes = usualBytes;
        this.pieceBytes = pieceBytes;
        this.windowBytes = usualBytes;
    }

    /** {@return how many bytes under way keep the way busy; never less than usual} */
    long windowBytes() {
        return windowBytes;
    }

    /** A piece is asked for. */
    void asked(long grant, int lengthBytes, boolean isAhead, long now) {
        if (underWay.isEmpty()) {
            cameAt = now;
            cameWasAskedAt = now;
        }
        readyBytes += isAhead ? 0 : lengthBytes;
        // Then a rate that is the way's leaves half the window at least: a program that wants no more does not shrink
        // it.
        boolean isMuch = !isAhead && 2 * readyBytes > windowBytes;
        underWay.put(grant, new Asked(now, lengthBytes, isAhead, isMuch, cameBytes, cameAt, cameWasAskedAt));
    }

    /** Its first byte is here. */
    void began(long grant, long now) {
        Asked piece = underWay.get(grant);
        if (piece != null) {
            delay.saw(now - piece.at, !piece.isAhead && piece.cameBytes == cameBytes, now);
        }
    }

    /** Its last byte is here. {@return whether {@link #windowBytes} has changed} */
    boolean ended(long grant, long now) {
        Asked piece = taken(grant);
        if (piece == null) {
            return false;
        }
        cameBytes += piece.lengthBytes;
        cameAt = now;
        cameWasAskedAt = Math.max(cameWasAskedAt, piece.at);
        long span = Math.max(1, Math.max(now - piece.cameAt, piece.at - piece.cameWasAskedAt));
        long bytes = cameBytes - piece.cameBytes;
        rate.saw((double) bytes / span, piece.isMuch, piece.cameBytes, cameBytes);
        long before = windowBytes;
        windowBytes = Math.max(usualBytes, wholePieces());
        return windowBytes != before;
    }

    /** It does not come. */
    void withdrawn(long grant) {
        taken(grant);
    }

    private @Nullable Asked taken(long grant) {
        Asked piece = underWay.remove(grant);
        if (piece != null) {
            readyBytes -= piece.isAhead ? 0 : piece.lengthBytes;
        }
        return piece;
    }

    private long wholePieces() {
        double bytes = delay.isKnown() ? GAIN * rate.bytesPerNano() * delay.nanos() : 0;
        return (long) Math.ceil(bytes / pieceBytes) * pieceBytes;
    }
}

package io.reactivecomm.internal.engine;

import java.util.HashMap;
import java.util.Map;

/**
 * The messages that this rank has sent to a peer, and those that it has received from it from any or has named it for, by channel: so both ends know
 * which of them is missing.
 * Owned by the loop.
 */
final class MessageCounts {

    private final Map<Line, Long> sent = new HashMap<>();
    private final Map<Line, Long> awaited = new HashMap<>();

    /** A way of messages between this rank and a peer. */
    private record Line(Channel channel, int peer) {}

    /** {@return the number of the next message to a peer} @param known the number that it has if ends are counted over all engines, or negative */
    long nextSent(Channel channel, int peer, long known) {
        return next(sent, new Line(channel, peer), known);
    }

    private static long next(Map<Line, Long> counts, Line line, long known) {
        long number = known < 0 ? counts.getOrDefault(line, 0L) : known;
        counts.merge(line, number + 1, Math::max);
        return number;
    }

    /**
     * {@return the number of the message that the next receive from a peer takes, whether it names the peer or has found it}
     *
     * @param known the number that it has if ends are counted over all engines, or negative
     */
    long nextAwaited(Channel channel, int peer, long known) {
        return next(awaited, new Line(channel, peer), known);
    }

    /** {@return whether that message has been sent to a peer} */
    boolean hasSent(Channel channel, int peer, long number) {
        return number < sent.getOrDefault(new Line(channel, peer), 0L);
    }
}

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

    /** {@return the number of the next message to a peer} */
    long nextSent(Channel channel, int peer) {
        return sent.merge(new Line(channel, peer), 1L, Long::sum) - 1;
    }

    /** {@return the number of the message that the next receive from a peer takes, whether it names the peer or has found it} */
    long nextAwaited(Channel channel, int peer) {
        return awaited.merge(new Line(channel, peer), 1L, Long::sum) - 1;
    }

    /** {@return whether that message has been sent to a peer} */
    boolean hasSent(Channel channel, int peer, long number) {
        return number < sent.getOrDefault(new Line(channel, peer), 0L);
    }
}

package io.reactivecomm.netty.internal.connection;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connections that have shown no token yet, of which there may be so many. When it is full a newcomer takes the place of the one that
 * has waited longest, of those from the address that most came from. A rank needs a moment here and whoever stays is none, but a newcomer
 * may be.
 *
 * <p>So no source is refused for what others do. To have a rank pushed out somebody must bring as many newcomers as there are places while
 * that rank answers one packet, and then it dials again.
 *
 * <p><b>Threads.</b> The listener's event loop.
 *
 * <p><b>Cost.</b> To push one out, a look at each source.
 *
 * @param <T> a connection
 */
final class PendingConnections<T> {

    private final int places;
    /** By source, each with the connections from there and their numbers, in the order of their arrival. */
    private final Map<InetAddress, LinkedHashMap<T, Long>> sources = new HashMap<>();

    private int waiting;
    private long arrivals;

    PendingConnections(int places) {
        this.places = places;
    }

    /** {@return the connection to close, which is in here no more, or null if there was a place} */
    @Nullable T enter(T newcomer, InetAddress source) {
        T leaver = waiting < places ? null : pushOut();
        sources.computeIfAbsent(source, _ -> new LinkedHashMap<>()).put(newcomer, arrivals++);
        waiting++;
        return leaver;
    }

    /** A connection has shown its token or has ended; of one that was pushed out nothing is known any more. */
    void leave(T connection, InetAddress source) {
        LinkedHashMap<T, Long> alike = sources.get(source);
        if (alike == null || alike.remove(connection) == null) {
            return;
        }
        waiting--;
        if (alike.isEmpty()) {
            sources.remove(source);
        }
    }

    private T pushOut() {
        Map.Entry<InetAddress, LinkedHashMap<T, Long>> crowd = null;
        for (Map.Entry<InetAddress, LinkedHashMap<T, Long>> source : sources.entrySet()) {
            if (crowd == null || precedes(source.getValue(), crowd.getValue())) {
                crowd = source;
            }
        }
        if (crowd == null) {
            throw new IllegalStateException("full and empty: places=" + places + ", waiting=" + waiting);
        }
        T oldest = crowd.getValue().firstEntry().getKey();
        leave(oldest, crowd.getKey());
        return oldest;
    }

    private boolean precedes(LinkedHashMap<T, Long> one, LinkedHashMap<T, Long> other) {
        return one.size() > other.size()
                || (one.size() == other.size()
                        && one.firstEntry().getValue() < other.firstEntry().getValue());
    }
}

package io.reactivecomm.netty.internal.connection;

import java.util.LinkedHashSet;
import org.jspecify.annotations.Nullable;

/**
 * A limited number of places, which are taken in the order of arrival, and a limited queue for them.
 *
 * <p><b>Threads.</b> One event loop.
 *
 * @param <T> one who takes a place
 */
final class Turns<T> {

    /** The state of a newcomer. */
    enum Entry {
        /** It has a place. */
        PRESENT,
        /** It gets a place when others have left. */
        WAITING,
        /** Places and queue are full, and it is in neither. */
        FULL
    }

    private final int places;
    private final int queue;
    private final LinkedHashSet<T> present = new LinkedHashSet<>();
    private final LinkedHashSet<T> waiting = new LinkedHashSet<>();

    Turns(int places, int queue) {
        this.places = places;
        this.queue = queue;
    }

    Entry enter(T newcomer) {
        if (present.size() < places) {
            present.add(newcomer);
            return Entry.PRESENT;
        }
        if (waiting.size() == queue) {
            return Entry.FULL;
        }
        waiting.add(newcomer);
        return Entry.WAITING;
    }

    /** {@return one whose turn comes because this one has left, or null} */
    @Nullable T leave(T leaver) {
        waiting.remove(leaver);
        if (!present.remove(leaver) || waiting.isEmpty()) {
            return null;
        }
        T next = waiting.removeFirst();
        present.add(next);
        return next;
    }
}

package io.reactivecomm.netty.internal.connection;

import java.util.LinkedHashSet;
import org.jspecify.annotations.Nullable;

/**
 * A limited number of places, which are taken in the order of arrival.
 *
 * <p><b>Threads.</b> One event loop.
 *
 * @param <T> one who takes a place
 */
final class Turns<T> {

    private final int places;
    private final LinkedHashSet<T> present = new LinkedHashSet<>();
    private final LinkedHashSet<T> waiting = new LinkedHashSet<>();

    Turns(int places) {
        this.places = places;
    }

    /** {@return whether there was a place; otherwise the newcomer waits} */
    boolean enter(T newcomer) {
        boolean isFree = present.size() < places;
        (isFree ? present : waiting).add(newcomer);
        return isFree;
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

package io.reactivecomm.sequence;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * The calls or runs of which the leader collects what members say, for a fixed time each.
 *
 * @param <K> what identifies it
 */
final class Collecting<K> {

    /** When the time of each is up. All have the same time, so the oldest is first. */
    private final SequencedMap<K, Long> dueAt = new LinkedHashMap<>();

    private final long nanos;

    /** @param nanos how long the leader waits */
    Collecting(long nanos) {
        this.nanos = nanos;
    }

    /** Begins to wait, unless it does. */
    void begin(K key, long now) {
        dueAt.putIfAbsent(key, now + nanos);
    }

    void remove(K key) {
        dueAt.remove(key);
    }

    /** {@return those whose time is up, which are waited for no more} */
    List<K> due(long now) {
        List<K> due = new ArrayList<>();
        while (next() <= now) {
            due.add(dueAt.pollFirstEntry().getKey());
        }
        return due;
    }

    int size() {
        return dueAt.size();
    }

    /** {@return when the time of the first is up, or {@link Leader#NEVER}} */
    long next() {
        return dueAt.isEmpty() ? Leader.NEVER : dueAt.firstEntry().getValue();
    }
}

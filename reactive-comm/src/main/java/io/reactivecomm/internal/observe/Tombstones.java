package io.reactivecomm.internal.observe;

import io.reactivecomm.spi.Failure;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The causes for which calls failed, or groups ended, that this rank or a slower one may still begin. The oldest are forgotten.
 *
 * <p><b>Threads.</b> The loop's; {@link #find} is for any.
 *
 * @param <K> what identifies them
 */
public final class Tombstones<K> {

    private final Map<K, Failure> causes = new ConcurrentHashMap<>();
    private final ArrayDeque<K> oldestFirst = new ArrayDeque<>();
    private final int kept;

    /** @param kept how many are remembered */
    public Tombstones(int kept) {
        this.kept = kept;
    }

    /** The first cause stays. */
    public void put(K key, Failure cause) {
        if (causes.putIfAbsent(key, cause) == null) {
            oldestFirst.add(key);
            if (oldestFirst.size() > kept) {
                causes.remove(oldestFirst.remove());
            }
        }
    }

    /** {@return the cause, or null} */
    public @Nullable Failure find(K key) {
        // Looked at for every call, and nearly always empty.
        return causes.isEmpty() ? null : causes.get(key);
    }
}

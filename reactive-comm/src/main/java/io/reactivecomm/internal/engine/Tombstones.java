package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.Failure;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The causes for which calls failed, or groups ended, that this rank or a slower one may still begin. The oldest are forgotten. Owned by the loop.
 *
 * @param <K> what identifies them
 */
final class Tombstones<K> {

    private final Map<K, Failure> causes = new LinkedHashMap<>();
    private final int kept;

    Tombstones(int kept) {
        this.kept = kept;
    }

    void put(K key, Failure cause) {
        if (causes.putIfAbsent(key, cause) == null && causes.size() > kept) {
            causes.remove(causes.keySet().iterator().next());
        }
    }

    @Nullable Failure find(K key) {
        // Looked at for every call, and nearly always empty.
        return causes.isEmpty() ? null : causes.get(key);
    }
}

package io.reactivecomm.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Why calls failed that this rank, or a slower one, may still begin. The oldest are forgotten. Owned by the loop. */
final class Tombstones {

    private final Map<CallKey, Failure> failures = new LinkedHashMap<>();
    private final int kept;

    Tombstones(int kept) {
        this.kept = kept;
    }

    void put(CallKey key, Failure failure) {
        if (failures.putIfAbsent(key, failure) == null && failures.size() > kept) {
            failures.remove(failures.keySet().iterator().next());
        }
    }

    @Nullable Failure find(CallKey key) {
        return failures.get(key);
    }
}

package io.reactivecomm.engine;

import io.reactivecomm.spi.Failure;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why groups ended on whose making not all ranks agreed: a slower rank may still make them known here. The oldest are forgotten. Owned by
 * the loop.
 */
final class EndedGroups {

    private final Map<Long, Failure> causes = new LinkedHashMap<>();
    private final int kept;

    EndedGroups(int kept) {
        this.kept = kept;
    }

    void put(long group, Failure cause) {
        if (causes.putIfAbsent(group, cause) == null && causes.size() > kept) {
            causes.remove(causes.keySet().iterator().next());
        }
    }

    @Nullable Failure find(long group) {
        return causes.get(group);
    }
}

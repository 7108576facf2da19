package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The composite calls that ended well on this rank, for ranks that need more of them. The oldest are forgotten. Owned by the loop. */
final class EndedRuns {

    private final Map<CallKey.Ticket, Ended> all = new LinkedHashMap<>();
    private final int kept;

    /**
     * An end.
     *
     * @param cause what is said to ranks that need more, or null if the body simply completed
     */
    record Ended(String operation, @Nullable Failure cause) {}

    EndedRuns(int kept) {
        this.kept = kept;
    }

    void add(Composite run) {
        all.put(run.key(), new Ended(run.operation(), run.over()));
        if (all.size() > kept) {
            all.remove(all.keySet().iterator().next());
        }
    }

    @Nullable Ended find(CallKey.Ticket run) {
        return all.isEmpty() ? null : all.get(run);
    }
}

package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The composite calls that ended well on this rank, for ranks that need more of them. The oldest are forgotten. Owned by the loop. */
final class EndedRuns {

    private final SequencedMap<CallKey.Ticket, Ended> all = new LinkedHashMap<>();
    private final int kept;
    private final Consumer<CallKey.Ticket> forgotten;

    /**
     * An end.
     *
     * @param cause what is said to ranks that need more, or null if the body simply completed
     */
    record Ended(String operation, @Nullable Failure cause) {}

    /** @param forgotten is told of each that is known no more */
    EndedRuns(int kept, Consumer<CallKey.Ticket> forgotten) {
        this.kept = kept;
        this.forgotten = forgotten;
    }

    void add(Composite run) {
        all.put(run.key(), new Ended(run.operation(), run.over()));
        if (all.size() > kept) {
            forgotten.accept(all.pollFirstEntry().getKey());
        }
    }

    @Nullable Ended find(CallKey.Ticket run) {
        return all.isEmpty() ? null : all.get(run);
    }
}

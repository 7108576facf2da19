package io.reactivecomm.timing;

import io.reactivecomm.observe.CallPhases;
import java.util.Collections;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The record of one kind of calls.
 *
 * <p><b>Threads.</b> Any: a lock that is held for tens of nanoseconds to add, and for a microsecond to sum up.
 */
final class KindRecord {

    final LoggedKind kind;

    // All guarded by this.
    private final Latencies latencies = new Latencies();
    private final Sum queued = new Sum();
    private final Sum matching = new Sum();
    private final Sum wire = new Sum();
    private final Sum fold = new Sum();
    private final Sum payloadBytes = new Sum();
    private final Map<String, Long> failures = new TreeMap<>();

    KindRecord(LoggedKind kind) {
        this.kind = kind;
    }

    /** A total of what is not always known. */
    private static final class Sum {

        private long count;
        private long total;

        void add(OptionalLong value) {
            if (value.isPresent()) {
                count++;
                total += value.getAsLong();
            }
        }

        CommsSummary.Known known() {
            return new CommsSummary.Known(count, total);
        }
    }

    synchronized void succeeded(long nanos, CallPhases phases, OptionalLong payload) {
        latencies.add(nanos);
        queued.add(phases.queued());
        matching.add(phases.matching());
        wire.add(phases.wire());
        fold.add(phases.fold());
        payloadBytes.add(payload);
    }

    /** How long a call took to fail says nothing of how fast calls are. */
    synchronized void failed(Throwable error) {
        failures.merge(error.getClass().getSimpleName(), 1L, Long::sum);
    }

    synchronized CommsSummary.Row row() {
        return new CommsSummary.Row(
                kind,
                latencies.summary(),
                new CommsSummary.Phases(queued.known(), matching.known(), wire.known(), fold.known()),
                payloadBytes.known(),
                Collections.unmodifiableMap(new TreeMap<>(failures)));
    }
}

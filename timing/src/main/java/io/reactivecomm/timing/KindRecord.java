package io.reactivecomm.timing;

import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.timing.CommsSummary.Known;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The record of one kind of calls, or of the subscriptions of timing operators with one tag.
 *
 * <p><b>Threads.</b> Any: a lock that is held for tens of nanoseconds to add, and for a microsecond to sum up.
 */
final class KindRecord {

    final LoggedKind kind;

    // All guarded by this.
    private final Latencies latencies = new Latencies();
    private final CallSums sums = new CallSums();
    private final Map<String, Long> failures = new TreeMap<>();
    /** Subscriptions of operators under which calls were heard of. */
    private long timed;

    /** Those of operators and views that have ended. */
    private long calls;

    KindRecord(LoggedKind kind) {
        this.kind = kind;
    }

    synchronized void succeeded(long nanos, ObservedCall call) {
        latencies.add(nanos);
        sums.add(call);
    }

    /** How long a call took to fail says nothing of how fast calls are. */
    synchronized void failed(Throwable error) {
        failures.merge(error.getClass().getSimpleName(), 1L, Long::sum);
    }

    /** A call of the tag has ended. @param error why it failed, or null */
    synchronized void heard(ObservedCall call, @Nullable Throwable error) {
        calls++;
        if (error == null) {
            sums.add(call);
        }
    }

    /**
     * A subscription of an operator is over.
     *
     * @param error why it failed, or null
     * @param hasCalls whether calls were heard of under it
     */
    synchronized void ran(long nanos, @Nullable Throwable error, boolean hasCalls) {
        if (error == null) {
            latencies.add(nanos);
        } else {
            failed(error);
        }
        timed += hasCalls ? 1 : 0;
    }

    synchronized List<Long> latest() {
        return latencies.latest();
    }

    synchronized CommsSummary.Row row() {
        return new CommsSummary.Row(
                kind,
                latencies.summary(),
                sums.phases(),
                sums.payloadBytes(),
                sums.headerBytes(),
                new Known(timed, calls),
                Collections.unmodifiableMap(new TreeMap<>(failures)));
    }
}

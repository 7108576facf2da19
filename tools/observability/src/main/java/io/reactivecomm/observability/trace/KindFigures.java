package io.reactivecomm.observability.trace;

import io.reactivecomm.Operation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The calls of one kind, over all ranks.
 *
 * @param kind operation, engine, ranks and bytes
 * @param count how many, each rank's counted
 * @param nanos of all
 * @param queued of that until the loops began them
 * @param matching of that until all ranks had joined
 */
record KindFigures(CallSpan.Kind kind, int count, long nanos, long queued, long matching) {

    /** {@return the kinds of a record, by the time that they took} Composite calls are in them by their parts. */
    static List<KindFigures> of(JobRecord record) {
        Map<CallSpan.Kind, List<CallSpan>> kinds = new LinkedHashMap<>();
        record.spans().stream()
                .filter(span -> !span.isComposite())
                .forEach(span -> kinds.computeIfAbsent(span.kind(), ignored -> new ArrayList<>())
                        .add(span));
        return kinds.entrySet().stream()
                .map(entry -> new KindFigures(
                        entry.getKey(),
                        entry.getValue().size(),
                        entry.getValue().stream().mapToLong(CallSpan::nanos).sum(),
                        entry.getValue().stream()
                                .mapToLong(span -> span.phases().queued())
                                .sum(),
                        entry.getValue().stream()
                                .mapToLong(span -> span.phases().matching())
                                .sum()))
                .sorted(Comparator.comparingLong(KindFigures::nanos).reversed())
                .toList();
    }

    /** {@return nanoseconds of a call once its loop had begun it and all ranks had joined} */
    double movingNanos() {
        return Math.max(0, nanos - queued - matching) / (double) count;
    }

    /** {@return the bus bandwidth in GB/s once all ranks had joined; 0 where there are no bytes} */
    double busGigabytesPerSecond() {
        double moving = movingNanos();
        return kind.bytes() == 0 || moving == 0
                ? 0
                : kind.bytes() * Operation.busFactor(kind.operation(), kind.groupSize()) / moving;
    }
}

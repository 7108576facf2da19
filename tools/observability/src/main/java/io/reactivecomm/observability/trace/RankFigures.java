package io.reactivecomm.observability.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * How late one rank was, and what it waited.
 *
 * @param calls collective calls that at least one other rank's record has, too
 * @param of the steps of the rank, or its calls where the record has no steps
 * @param lateIn those of them in which it was the late rank
 * @param lateNanos the median of its lateness in those; 0 if there are none
 * @param queuedNanos the median of the time that its loop left those calls waiting; 0 if there are none
 * @param waitingNanos in which its calls matched
 * @param excessNanos the time of its calls beyond the fastest rank's, which DeepSpeed calls straggler time
 * @param payloadBytes that it gave to its links
 * @param wireNanos in which its calls were on the wire
 */
record RankFigures(
        int rank,
        int calls,
        int of,
        int lateIn,
        long lateNanos,
        long queuedNanos,
        long waitingNanos,
        long excessNanos,
        long payloadBytes,
        long wireNanos) {

    static List<RankFigures> of(JobRecord record, List<MatchedCall> calls, Map<Integer, List<StepSplit>> steps) {
        return record.ranks().stream()
                .map(rank -> new Gathering(rank).of(record, calls, steps))
                .toList();
    }

    double lateShare() {
        return of == 0 ? 0 : (double) lateIn / of;
    }

    static long median(List<Long> values) {
        List<Long> sorted = values.stream().sorted(Comparator.naturalOrder()).toList();
        return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
    }

    /** The figures of one rank in the making. */
    private static final class Gathering {

        private final int rank;
        private final List<Long> late = new ArrayList<>();
        private final List<Long> queued = new ArrayList<>();
        private int count;
        private long waiting;
        private long excess;
        private long payload;
        private long wire;

        private Gathering(int rank) {
            this.rank = rank;
        }

        private RankFigures of(JobRecord record, List<MatchedCall> calls, Map<Integer, List<StepSplit>> steps) {
            calls.forEach(call -> take(call, record, steps.isEmpty()));
            List<StepSplit> own = steps.getOrDefault(rank, List.of());
            own.stream().filter(step -> step.late() == rank).forEach(step -> late.add(step.lateNanos()));
            return new RankFigures(
                    rank,
                    count,
                    steps.isEmpty() ? count : own.size(),
                    late.size(),
                    median(late),
                    median(queued),
                    waiting,
                    excess,
                    payload,
                    wire);
        }

        private void take(MatchedCall call, JobRecord record, boolean areCallsJudged) {
            for (CallSpan span : call.spans()) {
                if (span.rank() != rank || call.spans().size() < 2) {
                    continue;
                }
                count++;
                waiting += span.phases().matching();
                excess += call.excess(span);
                payload += span.payloadBytes();
                wire += span.phases().wire();
                if (call.late(record).orElse(StepSplit.NOBODY) == rank) {
                    queued.add(span.phases().queued());
                    if (areCallsJudged) {
                        late.add(call.lateness(span));
                    }
                }
            }
        }
    }
}

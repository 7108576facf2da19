package io.reactivecomm.observability.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * One training step on one rank: a run of a composite call that is in no other.
 *
 * <pre>
 *   previous step ── between ──&gt; begins ── compute ──&gt; last gradient's call opens ── exposed communication, and waiting within ──&gt; ends
 * </pre>
 *
 * <p>The record has no mark for the end of the backward pass: it is the opening of the step's last call of gradients. Calls by which gradients are clipped,
 * of the name {@code norm}, come after it.
 *
 * @param between from the previous step's end, such as the forward pass and the optimizer; 0 for the first
 * @param waiting exposed time in the phase of matching
 * @param waitedFor that time by the rank that was late; rank -1 for what no rank can be named for
 * @param late the rank that opened the last call of gradients last, or -1
 * @param lateNanos its lateness there
 */
record StepSplit(
        int rank,
        CallSpan.Id id,
        long from,
        long between,
        long compute,
        long exposed,
        long waiting,
        Map<Integer, Long> waitedFor,
        int late,
        long lateNanos) {

    private static final String NORM = "norm";

    static final int NOBODY = -1;

    /** {@return the steps of all ranks, by rank and in their order; empty if the record has none} */
    static Map<Integer, List<StepSplit>> of(JobRecord record, List<MatchedCall> calls) {
        Map<CallSpan.Id, MatchedCall> byId = new HashMap<>();
        calls.forEach(call -> byId.put(call.id(), call));
        Map<Integer, List<StepSplit>> steps = new TreeMap<>();
        for (int rank : record.ranks()) {
            List<StepSplit> ofRank = new Splitting(record, byId, rank).steps();
            if (!ofRank.isEmpty()) {
                steps.put(rank, ofRank);
            }
        }
        return steps;
    }

    long communication() {
        return exposed - waiting;
    }

    long whole() {
        return between + compute + exposed;
    }

    /** The steps of one rank. */
    private record Splitting(JobRecord record, Map<CallSpan.Id, MatchedCall> byId, int rank) {

        private List<StepSplit> steps() {
            Map<String, List<CallSpan>> runs = new HashMap<>();
            Map<String, List<CallSpan>> parts = new HashMap<>();
            for (CallSpan span : record.spans()) {
                String label = span.id().label();
                if (span.rank() == rank && label.indexOf('/') >= 0) {
                    parts.computeIfAbsent(label.substring(0, label.indexOf('/')), ignored -> new ArrayList<>())
                            .add(span);
                } else if (span.rank() == rank && span.isComposite()) {
                    runs.computeIfAbsent(span.operation(), ignored -> new ArrayList<>())
                            .add(span);
                }
            }
            return runs.values().stream()
                    .max(Comparator.comparingLong(
                            all -> all.stream().mapToLong(CallSpan::nanos).sum()))
                    .map(all -> split(all, parts))
                    .orElse(List.of());
        }

        private List<StepSplit> split(List<CallSpan> runs, Map<String, List<CallSpan>> parts) {
            List<StepSplit> steps = new ArrayList<>();
            long before = runs.getFirst().from();
            for (CallSpan run : runs) {
                List<CallSpan> calls = parts.getOrDefault(run.id().label(), List.of()).stream()
                        .filter(each -> !each.isComposite() && each.from() >= run.from() && each.from() <= run.to())
                        .toList();
                if (!calls.isEmpty()) {
                    steps.add(split(run, calls, Math.max(0, run.from() - before)));
                }
                before = Math.max(before, run.to());
            }
            return steps;
        }

        private StepSplit split(CallSpan run, List<CallSpan> calls, long between) {
            CallSpan gradient = calls.stream()
                    .filter(each -> !each.id().name().equals(NORM))
                    .max(Comparator.comparingLong(CallSpan::from))
                    .orElse(calls.getLast());
            long computed = Math.clamp(gradient.from(), run.from(), run.to());
            Map<Integer, Long> waitedFor = waitedFor(calls, computed, run.to());
            MatchedCall matched = byId.get(gradient.id());
            OptionalInt late = matched == null ? OptionalInt.empty() : matched.late(record);
            return new StepSplit(
                    rank,
                    run.id(),
                    run.from(),
                    between,
                    computed - run.from(),
                    run.to() - computed,
                    waitedFor.values().stream().mapToLong(Long::longValue).sum(),
                    waitedFor,
                    late.orElse(NOBODY),
                    matched == null || late.isEmpty() ? 0 : matched.lateness(matched.last()));
        }

        /** {@return the time between two moments in which calls matched, each moment once, by the rank that was late} */
        private Map<Integer, Long> waitedFor(List<CallSpan> calls, long from, long to) {
            Map<Integer, Long> waited = new TreeMap<>();
            long at = from;
            for (CallSpan call : calls.stream()
                    .sorted(Comparator.comparingLong(CallSpan::opened))
                    .toList()) {
                long begin = Math.max(at, call.opened());
                long end = Math.min(to, call.matched());
                if (end > begin) {
                    MatchedCall matched = byId.get(call.id());
                    int late = matched == null ? NOBODY : matched.late(record).orElse(NOBODY);
                    waited.merge(late == rank ? NOBODY : late, end - begin, Long::sum);
                    at = end;
                }
            }
            return waited;
        }
    }
}

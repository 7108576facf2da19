package io.reactivecomm.observability.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * One call on the ranks whose record has it. Here is the only rule for who is late in a call that has ended: {@link #lateness} is a rank's opening minus
 * the first rank's, on compared clocks. A difference below the bound of the two clocks names no rank.
 *
 * @param spans one of each rank, in the order of their openings
 */
record MatchedCall(CallSpan.Id id, List<CallSpan> spans) {

    /** {@return the collective calls of a record, matched by their identity, in the order of their first openings} Messages are not among them: a receive may be idle. */
    static List<MatchedCall> of(JobRecord record) {
        Map<CallSpan.Id, List<CallSpan>> calls = new LinkedHashMap<>();
        for (CallSpan span : record.spans()) {
            if (!span.isComposite() && !span.isMessage()) {
                calls.computeIfAbsent(span.id(), ignored -> new ArrayList<>()).add(span);
            }
        }
        List<MatchedCall> matched = new ArrayList<>();
        calls.forEach((id, spans) -> {
            spans.sort(Comparator.comparingLong(CallSpan::opened));
            matched.add(new MatchedCall(id, List.copyOf(spans)));
        });
        return matched;
    }

    /** {@return by how much a rank's opening was behind the first rank's, in nanoseconds} */
    long lateness(CallSpan span) {
        return span.opened() - spans.getFirst().opened();
    }

    CallSpan last() {
        return spans.getLast();
    }

    /** {@return the rank that opened the call last; empty if only one has it, or if the clocks' bound leaves open which it was} */
    OptionalInt late(JobRecord record) {
        CallSpan first = spans.getFirst();
        CallSpan last = last();
        boolean isKnown = spans.size() > 1 && lateness(last) > record.bound(first.rank(), last.rank());
        return isKnown ? OptionalInt.of(last.rank()) : OptionalInt.empty();
    }

    /** {@return the time that a rank spent in the call beyond the rank that spent the least: DeepSpeed's straggler time, which is time of waiting for others} */
    long excess(CallSpan span) {
        return span.nanos() - spans.stream().mapToLong(CallSpan::nanos).min().orElse(0);
    }
}

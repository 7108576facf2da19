package io.reactivecomm.observability.trace;

import io.reactivecomm.internal.timeline.EventWriter;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * The calls of all ranks of a job, read from the parts that their timelines wrote, on the clock of the lowest rank.
 *
 * <p><b>Cost.</b> Of each rank and kind of calls the last {@value #MOST_OF_A_KIND} are kept, 200 bytes each.
 *
 * @param spans in the order of their beginnings
 * @param clocks in the order of ranks
 */
record JobRecord(List<CallSpan> spans, List<RankClock> clocks, Map<Integer, String> processes) {

    /** The calls of a kind that a rank's record keeps. */
    static final int MOST_OF_A_KIND = 4096;

    /** The bound of clocks that were never compared. */
    static final long UNKNOWN = Long.MAX_VALUE;

    static JobRecord read(List<Path> files) {
        List<TracePart> parts = files.stream().map(TracePart::read).toList();
        Alignment alignment = new Alignment(parts);
        List<CallSpan> spans = new ArrayList<>();
        Map<Integer, String> processes = new TreeMap<>();
        for (TracePart part : parts) {
            part.ranks().forEach(rank -> processes.put(rank, part.process()));
            spans.addAll(new Reader(part, alignment).read());
        }
        long origin = spans.stream().mapToLong(CallSpan::from).min().orElse(0);
        return new JobRecord(
                spans.stream()
                        .map(each -> shifted(each, origin))
                        .sorted(Comparator.comparingLong(CallSpan::from))
                        .toList(),
                alignment.clocks(),
                processes);
    }

    private static CallSpan shifted(CallSpan span, long origin) {
        return new CallSpan(
                span.rank(),
                span.id(),
                span.operation(),
                span.backend(),
                span.peer(),
                span.bytes(),
                span.payloadBytes(),
                span.from() - origin,
                span.to() - origin,
                span.phases());
    }

    List<Integer> ranks() {
        return clocks.stream().map(RankClock::rank).toList();
    }

    /** {@return by how much a difference of the times of two ranks may be wrong; {@link #UNKNOWN} if their clocks were never compared} */
    long bound(int one, int other) {
        if (one == other || processes.getOrDefault(one, "").equals(processes.getOrDefault(other, " "))) {
            return 0;
        }
        long first = bound(one);
        long second = bound(other);
        return first == UNKNOWN || second == UNKNOWN ? UNKNOWN : first + second;
    }

    private long bound(int rank) {
        return clocks.stream()
                .filter(clock -> clock.rank() == rank)
                .mapToLong(clock -> clock.boundNanos().orElse(UNKNOWN))
                .findFirst()
                .orElse(UNKNOWN);
    }

    /** The calls of one part on their way into the record. */
    private static final class Reader {

        private final TracePart part;
        private final Alignment alignment;
        /** What has begun in a lane and has not ended. */
        private final Map<TraceLane, Begun> open = new HashMap<>();

        private final Map<String, Integer> occurrences = new HashMap<>();
        private final Map<String, Deque<CallSpan>> kept = new HashMap<>();

        /** A beginning, and how often its label had begun on the rank before. */
        private record Begun(PartEvent event, int occurrence) {}

        private Reader(TracePart part, Alignment alignment) {
            this.part = part;
            this.alignment = alignment;
        }

        private List<CallSpan> read() {
            part.forEach(this::take);
            for (Begun begin : List.copyOf(open.values())) {
                keep(begin, begin.event, alignment.time(part, part.to()));
            }
            return kept.values().stream().flatMap(Deque::stream).toList();
        }

        private void take(PartEvent event) {
            if (!event.category().equals(EventWriter.CALL)) {
                return;
            }
            if (event.kind().equals("B")) {
                String label = event.lane().rank() + " " + event.textArg("group") + " " + event.textArg("call");
                open.put(event.lane(), new Begun(event, occurrences.merge(label, 1, Integer::sum) - 1));
            } else if (event.kind().equals("E")) {
                Begun begin = open.remove(event.lane());
                if (begin != null) {
                    keep(begin, event, alignment.time(part, event.nanos()));
                }
            }
        }

        private void keep(Begun begin, PartEvent end, long to) {
            CallSpan span = span(begin, end, to);
            Deque<CallSpan> ofKind =
                    kept.computeIfAbsent(span.rank() + " " + span.kind(), ignored -> new ArrayDeque<>());
            ofKind.addLast(span);
            if (ofKind.size() > MOST_OF_A_KIND) {
                ofKind.removeFirst();
            }
        }

        private CallSpan span(Begun begun, PartEvent end, long to) {
            PartEvent begin = begun.event;
            CallSpan.Id id = new CallSpan.Id(
                    begin.textArg("group"),
                    (int) number(begin, "groupSize", 0),
                    begin.textArg("call"),
                    begun.occurrence);
            return new CallSpan(
                    begin.lane().rank(),
                    id,
                    begin.name(),
                    begin.textArg("backend"),
                    (int) number(begin, "peer", -1),
                    number(begin, "bytes", 0),
                    number(end, "payloadBytes", 0),
                    alignment.time(part, begin.nanos()),
                    to,
                    new CallSpan.Phases(
                            number(end, "queuedNanos", 0),
                            number(end, "matchingNanos", 0),
                            number(end, "wireNanos", 0),
                            number(end, "foldNanos", 0)));
        }

        private static long number(PartEvent event, String name, long otherwise) {
            JsonNode value = event.json().path("args").path(name);
            return value.isMissingNode() ? otherwise : event.arg(name);
        }
    }
}

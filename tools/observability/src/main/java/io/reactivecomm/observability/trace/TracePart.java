package io.reactivecomm.observability.trace;

import io.reactivecomm.internal.timeline.EventWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/**
 * The part of a trace that one timeline has written: what is in it, but for the events themselves, which are read once more when they are merged.
 *
 * @param process ranks of the same one share a clock
 * @param wallOffsetNanos what the time of day is ahead of its clock
 * @param lanes of the ranks whose events it has
 * @param comparisons of clocks, by the other rank
 * @param from its first time
 * @param to its last
 * @param isCut whether its last line is cut off
 * @param leftOut records and calls that its timeline had no room for
 */
record TracePart(
        Path file,
        String process,
        long wallOffsetNanos,
        SortedSet<TraceLane> lanes,
        Map<Integer, List<ClockLine.Comparison>> comparisons,
        long from,
        long to,
        boolean isCut,
        long leftOut) {

    /** {@return the ranks whose events it has} */
    SortedSet<Integer> ranks() {
        return lanes.stream().map(TraceLane::rank).collect(Collectors.toCollection(TreeSet::new));
    }

    /** {@return what is in that file} @throws TimelineException if it is no part */
    static TracePart read(Path file) {
        try (PartLines lines = new PartLines(file)) {
            return new Reader(lines).read(file);
        }
    }

    /** Hands over its events, one after the other. */
    void forEach(Consumer<PartEvent> to) {
        try (PartLines lines = new PartLines(file)) {
            forEach(lines, to);
        }
    }

    private static void forEach(PartLines lines, Consumer<PartEvent> to) {
        for (ObjectNode event = lines.next(); event != null; event = lines.next()) {
            to.accept(new PartEvent(event, lines));
        }
    }

    /** The reading of one part. */
    private static final class Reader {

        private final PartLines lines;
        private final SortedSet<TraceLane> lanesSeen = new TreeSet<>();
        private final Map<Integer, List<ClockLine.Comparison>> comparisons = new TreeMap<>();
        private long from = Long.MAX_VALUE;
        private long to = Long.MIN_VALUE;
        private long leftOut;

        private Reader(PartLines lines) {
            this.lines = lines;
        }

        private TracePart read(Path file) {
            ObjectNode first = lines.next();
            if (first == null || !first.path("name").asString("").equals(EventWriter.HEADER)) {
                throw lines.failure("it is not the header of a part");
            }
            PartEvent header = new PartEvent(first, lines);
            if (header.arg("format") != EventWriter.FORMAT) {
                throw lines.failure("unknown format: format=" + header.arg("format") + ", known=" + EventWriter.FORMAT);
            }
            long wallOffset = Math.multiplyExact(1000L, wallMicros(header)) - header.arg("nanos");
            forEach(lines, this::take);
            return new TracePart(
                    file,
                    header.textArg("process"),
                    wallOffset,
                    lanesSeen,
                    comparisons,
                    from,
                    to,
                    lines.isCut(),
                    leftOut);
        }

        private long wallMicros(PartEvent header) {
            long micros = header.arg("wallMicros");
            if (Math.abs(micros) > Long.MAX_VALUE / 4000) {
                throw lines.failure("wallMicros is no time of day: wallMicros=" + micros);
            }
            return micros;
        }

        private void take(PartEvent event) {
            if (event.name().equals(EventWriter.END)) {
                leftOut = event.arg("leftOut");
                return;
            }
            lanesSeen.add(event.lane());
            if (event.hasTime()) {
                long nanos = event.nanos();
                from = Math.min(from, nanos);
                to = Math.max(to, nanos);
                if (event.isClock()) {
                    comparisons
                            .computeIfAbsent(
                                    Math.toIntExact(event.arg(EventWriter.OTHER) & Integer.MAX_VALUE),
                                    _ -> new ArrayList<>())
                            .add(new ClockLine.Comparison(
                                    nanos, event.arg(EventWriter.OFFSET), event.arg(EventWriter.BOUND)));
                }
            }
        }
    }
}

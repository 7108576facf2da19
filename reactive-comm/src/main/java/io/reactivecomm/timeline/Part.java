package io.reactivecomm.timeline;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.SortedSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The part of a trace that one timeline has written: what is in it, but for the events themselves, which are read once more when they are merged.
 *
 * @param process ranks of the same one share a clock
 * @param wallOffsetNanos what the time of day is ahead of its clock
 * @param ranks whose events it has
 * @param comparisons of clocks, by the other rank
 * @param from its first time
 * @param to its last
 * @param isCut whether its last line is cut off
 * @param leftOut records and calls that its timeline had no room for
 */
record Part(
        Path file,
        String process,
        long wallOffsetNanos,
        SortedSet<Integer> ranks,
        Map<Integer, List<ClockLine.Comparison>> comparisons,
        long from,
        long to,
        boolean isCut,
        long leftOut) {

    /** {@return what is in that file} @throws TimelineException if it is no part */
    static Part read(Path file) {
        try (PartLines lines = new PartLines(file)) {
            return new Reader(lines).read(file);
        }
    }

    /** Hands over its events, one after the other. */
    void forEach(Consumer<PartEvent> to) {
        try (PartLines lines = new PartLines(file)) {
            for (PartEvent event = next(lines); event != null; event = next(lines)) {
                to.accept(event);
            }
        }
    }

    private static @Nullable PartEvent next(PartLines lines) {
        JsonNode json = lines.next();
        return json instanceof ObjectNode event ? new PartEvent(event, lines) : null;
    }

    /** The reading of one part. */
    private static final class Reader {

        private final PartLines lines;
        private final SortedSet<Integer> ranks = new TreeSet<>();
        private final Map<Integer, List<ClockLine.Comparison>> comparisons = new TreeMap<>();
        private long from = Long.MAX_VALUE;
        private long to = Long.MIN_VALUE;
        private long leftOut;

        private Reader(PartLines lines) {
            this.lines = lines;
        }

        private Part read(Path file) {
            PartEvent header = next(lines);
            if (header == null || !header.name().equals(PartWriter.HEADER)) {
                throw lines.failure("it is not the header of a part");
            }
            if (header.arg("format") != PartWriter.FORMAT) {
                throw lines.failure("unknown format: format=" + header.arg("format") + ", known=" + PartWriter.FORMAT);
            }
            long wallOffset = Math.multiplyExact(1000L, wallMicros(header)) - header.arg("nanos");
            for (PartEvent event = next(lines); event != null; event = next(lines)) {
                take(event);
            }
            return new Part(file, header.textArg("process"), wallOffset, ranks, comparisons, from, to, lines.isCut(), leftOut);
        }

        private long wallMicros(PartEvent header) {
            long micros = header.arg("wallMicros");
            if (Math.abs(micros) > Long.MAX_VALUE / 4000) {
                throw lines.failure("wallMicros is no time of day: wallMicros=" + micros);
            }
            return micros;
        }

        private void take(PartEvent event) {
            if (event.name().equals(PartWriter.END)) {
                leftOut = event.arg("leftOut");
                return;
            }
            ranks.add(event.rank());
            if (event.hasTime()) {
                long nanos = event.nanos();
                from = Math.min(from, nanos);
                to = Math.max(to, nanos);
                if (event.isClock()) {
                    comparisons.computeIfAbsent(Math.toIntExact(event.arg(EventArgs.OTHER) & Integer.MAX_VALUE), _ -> new ArrayList<>())
                            .add(new ClockLine.Comparison(nanos, event.arg(EventArgs.OFFSET), event.arg(EventArgs.BOUND)));
                }
            }
        }
    }
}

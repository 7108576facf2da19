package io.reactivecomm.observability.trace;

import io.reactivecomm.CommException;
import io.reactivecomm.internal.timeline.EventWriter;
import io.reactivecomm.timeline.TimelineException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import tools.jackson.core.exc.JacksonIOException;

/**
 * One trace of the parts that the ranks of a job have written, all on the clock of the lowest rank among them. {@code rcomm timeline} makes it on
 * the command line.
 *
 * {@snippet :
 * MergedTimeline merged = MergedTimeline.of(List.of(Path.of("trace.0.json"), Path.of("trace.1.json")));
 * merged.write(Path.of("trace.json"));
 * System.out.print(merged.table());
 * }
 *
 * <p>Clocks are compared by the stamps on heartbeats, as time goes on, for they drift ({@link RankClock}). Of a rank that was killed a last line that
 * is cut off is left out, and a call that has no end ends where its part does, with {@code unfinished} among its facts.
 *
 * <p><b>Errors.</b> A {@link TimelineException} for a file that is no part, that cannot be read or written, or that has a rank which another has,
 * too.
 *
 * <p><b>Threads.</b> Any. <b>Cost.</b> Parts are read twice, an event at a time.
 */
public final class MergedTimeline {

    private final List<TracePart> parts;
    private final Alignment alignment;
    private final long origin;
    private final Map<TraceLane, Integer> threads = new HashMap<>();

    private MergedTimeline(List<TracePart> parts) {
        this.parts = parts;
        this.alignment = new Alignment(parts);
        this.origin = parts.stream()
                .filter(part -> part.from() <= part.to())
                .mapToLong(part -> alignment.time(part, part.from()))
                .min()
                .orElse(0);
        numberLanes();
    }

    /** Viewers name threads by their number alone: each has one that no other thread or process has, in the order of ranks and lanes. */
    private void numberLanes() {
        SortedSet<TraceLane> lanes = new TreeSet<>();
        parts.forEach(part -> lanes.addAll(part.lanes()));
        int next = lanes.last().rank() + EventWriter.FIRST + 1;
        for (TraceLane lane : lanes) {
            threads.put(lane, next++);
        }
    }

    private int thread(TraceLane lane) {
        return threads.getOrDefault(lane, EventWriter.EVENTS);
    }

    /** {@return the merger of those parts, whose events are not yet read} */
    public static MergedTimeline of(List<Path> parts) {
        return new MergedTimeline(parts.stream().map(TracePart::read).toList());
    }

    /** {@return the clocks of all ranks, in their order} */
    public List<RankClock> clocks() {
        return alignment.clocks();
    }

    /** {@return what is missing from it, in a sentence each; empty if nothing is} */
    public List<String> gaps() {
        List<String> gaps = new ArrayList<>();
        for (TracePart part : parts) {
            if (part.isCut()) {
                gaps.add("the last event is cut off, as of a rank that was killed: file=" + part.file());
            }
            if (part.leftOut() > 0) {
                gaps.add("records were left out, because they came faster than they were written: file=" + part.file()
                        + ", records=" + part.leftOut());
            }
        }
        return gaps;
    }

    /** {@return the clocks as a table to print} */
    public String table() {
        return ClockTable.of(clocks());
    }

    /** Writes the trace, as an object whose {@code traceEvents} are those of all parts. It takes the file's place when it is whole. */
    public void write(Path file) {
        if (Files.isDirectory(file)) {
            throw new TimelineException(
                    "the trace cannot be written: file=" + file + ", because it is a folder; choose another");
        }
        if (parts.stream().anyMatch(part -> isSame(part.file(), file))) {
            throw new TimelineException(
                    "the trace would overwrite one of its parts: file=" + file + "; choose another");
        }
        Path folder = file.toAbsolutePath().getParent();
        Path half = file.resolveSibling(file.getFileName() + ".half");
        try {
            if (folder != null) {
                Files.createDirectories(folder);
            }
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(half), 1 << 16)) {
                write(out);
            }
            Files.move(half, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | JacksonIOException e) {
            throw new TimelineException(
                    "the trace cannot be written: file=" + file + ", cause=" + CommException.textOf(e)
                            + "; see that there is room",
                    e);
        } finally {
            deleteQuietly(half);
        }
    }

    private static boolean isSame(Path one, Path other) {
        return one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
    }

    private static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new TimelineException("what was written of a trace cannot be removed: file=" + file, e);
        }
    }

    private void write(OutputStream out) {
        EventWriter events = new EventWriter(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
        for (TracePart part : parts) {
            new Copy(part, events).copy();
        }
        events.close("\n]}\n");
    }

    /** The events of one part on their way into the trace. */
    private final class Copy {

        private final TracePart part;
        private final EventWriter events;
        /** Arrows are numbered by each part for itself. */
        private final long firstFlow;
        /** What has begun in a lane and has not ended: its name. */
        private final Map<TraceLane, String> open = new HashMap<>();

        private Copy(TracePart part, EventWriter events) {
            this.part = part;
            this.events = events;
            this.firstFlow = (long) parts.indexOf(part) << 40;
        }

        private void copy() {
            part.forEach(this::copy);
            long end = alignment.time(part, part.to()) - origin;
            open.forEach((lane, name) -> events.event("E", name, lane.rank(), thread(lane))
                    .category(EventWriter.CALL)
                    .at(end)
                    .args()
                    .field("unfinished", "true")
                    .endArgs());
        }

        private void copy(PartEvent event) {
            String name = event.name();
            if (name.equals(EventWriter.HEADER) || name.equals(EventWriter.END) || !isPaired(event)) {
                return;
            }
            event.json().put("tid", thread(event.lane()));
            if (event.hasTime()) {
                event.json().put("ts", EventWriter.micros(alignment.time(part, event.nanos()) - origin));
            }
            if (event.json().path("id").isIntegralNumber()) {
                event.json().put("id", firstFlow + event.json().path("id").longValue());
            }
            events.copy(event.json());
        }

        /** {@return whether it is no end without a beginning} */
        private boolean isPaired(PartEvent event) {
            TraceLane lane = event.lane();
            return switch (event.kind()) {
                case "B" -> open.put(lane, event.name()) == null;
                case "E" -> open.remove(lane) != null;
                default -> true;
            };
        }
    }
}

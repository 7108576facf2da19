package io.reactivecomm.observability.trace;

import io.reactivecomm.observability.trace.RankClock.Basis;
import io.reactivecomm.timeline.TimelineException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The clocks of all parts on that of one of them, the reference: each by the way of comparisons, over other parts if need be, whose bounds add up to
 * the least.
 */
final class Alignment {

    private final List<TracePart> parts;
    private final Map<Integer, TracePart> ofRank = new HashMap<>();
    private final Map<TracePart, Way> ways = new HashMap<>();
    private final TracePart reference;

    /**
     * The way of a part's times to the reference's.
     *
     * @param line to the next part's clock; null if that is the same one, or is not known
     * @param next null if this is the reference
     */
    private record Way(
            TracePart part,
            Basis basis,
            @Nullable ClockLine line,
            @Nullable Way next,
            long bound) {

        private long time(long at) {
            long there = line == null ? at : line.other(at);
            return next == null ? there : next.time(there);
        }
    }

    /** @throws TimelineException if there are none, or two have one rank */
    Alignment(List<TracePart> parts) {
        this.parts = parts;
        for (TracePart part : parts) {
            for (int rank : part.ranks()) {
                TracePart other = ofRank.putIfAbsent(rank, part);
                if (other != null) {
                    throw new TimelineException("two parts are of one rank: rank=" + rank + ", file=" + other.file()
                            + ", file=" + part.file() + "; give those of one job, each once");
                }
            }
        }
        this.reference = parts.stream()
                .filter(part -> !part.ranks().isEmpty())
                .min(Comparator.comparing(part -> part.ranks().first()))
                .orElseThrow(() -> new TimelineException(
                        "there is no event in any part: parts=" + parts.size() + "; give at least one that has some"));
        findWays();
    }

    private void findWays() {
        PriorityQueue<Way> next = new PriorityQueue<>(Comparator.comparingLong(Way::bound));
        next.add(new Way(reference, Basis.REFERENCE, null, null, 0));
        for (Way way = next.poll(); way != null; way = next.poll()) {
            if (ways.putIfAbsent(way.part, way) == null) {
                next.addAll(waysOver(way));
            }
        }
        for (TracePart part : parts) {
            ways.computeIfAbsent(part, this::byTimeOfDay);
        }
    }

    private List<Way> waysOver(Way way) {
        List<Way> further = new ArrayList<>();
        for (TracePart part : parts) {
            if (ways.containsKey(part)) {
                continue;
            }
            if (part.process().equals(way.part.process())) {
                Basis basis = way.basis == Basis.REFERENCE ? Basis.SAME_PROCESS : way.basis;
                further.add(new Way(part, basis, null, way, way.bound));
            } else {
                List<ClockLine.Comparison> comparisons = comparisons(part, way.part);
                if (!comparisons.isEmpty()) {
                    ClockLine line = ClockLine.of(comparisons);
                    further.add(new Way(part, Basis.HEARTBEATS, line, way, way.bound + line.bound()));
                }
            }
        }
        return further;
    }

    /** {@return the part's own, or else the other's, seen from this side} */
    private static List<ClockLine.Comparison> comparisons(TracePart part, TracePart with) {
        List<ClockLine.Comparison> own = ofRanks(part, with);
        return own.isEmpty()
                ? ofRanks(with, part).stream()
                        .map(ClockLine.Comparison::reversed)
                        .toList()
                : own;
    }

    private static List<ClockLine.Comparison> ofRanks(TracePart part, TracePart with) {
        return with.ranks().stream()
                .flatMap(rank -> part.comparisons().getOrDefault(rank, List.of()).stream())
                .toList();
    }

    private Way byTimeOfDay(TracePart part) {
        long offset = part.wallOffsetNanos() - reference.wallOffsetNanos();
        return new Way(
                part,
                Basis.TIME_OF_DAY,
                new ClockLine(List.of(new ClockLine.Comparison(0, offset, 0))),
                null,
                Long.MAX_VALUE);
    }

    /** {@return that time of a part, by the reference's clock} */
    long time(TracePart part, long at) {
        return way(part).time(at);
    }

    private Way way(TracePart part) {
        Way way = ways.get(part);
        if (way == null) {
            throw new IllegalArgumentException("a part that is not among those: file=" + part.file());
        }
        return way;
    }

    /** {@return the clocks of all ranks, in their order} */
    List<RankClock> clocks() {
        return ofRank.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> clock(entry.getKey(), entry.getValue()))
                .toList();
    }

    private RankClock clock(int rank, TracePart part) {
        Way way = way(part);
        Basis basis = way.basis == Basis.REFERENCE && rank != part.ranks().first() ? Basis.SAME_PROCESS : way.basis;
        OptionalLong bound = way.basis == Basis.TIME_OF_DAY ? OptionalLong.empty() : OptionalLong.of(way.bound);
        long end = part.to() == Long.MIN_VALUE ? 0 : part.to();
        return new RankClock(rank, part.file(), basis, way.time(end) - end, bound);
    }
}

package io.reactivecomm.timing;

import io.reactivecomm.timing.CommsSummary.Known;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A comparison of what several ranks spent on calls of the same kinds.
 *
 * <p>In a call in which ranks wait for each other, the rank that comes last takes the least time. What the others take longer is their waiting, so the excess
 * of a rank measures what it waited, and {@link Share#matching()} how much of its time that was. The logger knows no openings of calls, and so names no rank:
 * {@code rcomm report} does, from timelines.
 *
 * <p><b>Counts.</b> Ranks may have made different numbers of calls of a kind, or none. Means are compared then, over the calls of each, and the row
 * says so by {@link Row#isRagged()}. DeepSpeed compares call by call, and hangs where the numbers differ.
 *
 * @param ranks that were compared, in the world
 * @param rows by kind, in order, of all kinds that any of them recorded
 */
public record Stragglers(List<Integer> ranks, List<Row> rows) {

    private static final CommsSummary.Latency NONE = new CommsSummary.Latency(0, 0, 0, 0, 0, 0);
    private static final Known UNKNOWN = new Known(0, 0);

    public Stragglers {
        ranks = List.copyOf(ranks);
        rows = List.copyOf(rows);
    }

    /** Time that the ranks spent on one kind of calls. @param shares in the order of the ranks */
    public record Row(LoggedKind kind, List<Share> shares) {

        public Row {
            shares = List.copyOf(shares);
        }

        /** {@return whether ranks made different numbers of calls} */
        public boolean isRagged() {
            return shares.stream().mapToLong(Share::count).distinct().count() > 1;
        }
    }

    /**
     * Time that one rank spent on one kind of calls.
     *
     * @param rank in the world
     * @param count its calls that succeeded
     * @param totalNanos what they took together
     * @param meanNanos what one took; 0 if there are none
     * @param excessNanos how much longer they took together than as many of the fastest rank's
     * @param matching how long they waited for other ranks to make the same call
     */
    public record Share(int rank, long count, long totalNanos, double meanNanos, double excessNanos, Known matching) {}

    /** {@return a comparison of summaries, one of each rank in that order} */
    static Stragglers of(List<Integer> ranks, List<CommsSummary> summaries) {
        List<Map<LoggedKind, CommsSummary.Row>> byRank = summaries.stream()
                .map(summary -> summary.rows().stream()
                        .collect(Collectors.toMap(CommsSummary.Row::kind, row -> row, (first, second) -> first)))
                .toList();
        TreeSet<LoggedKind> kinds =
                byRank.stream().flatMap(rows -> rows.keySet().stream()).collect(Collectors.toCollection(TreeSet::new));
        return new Stragglers(
                ranks, kinds.stream().map(kind -> row(kind, ranks, byRank)).toList());
    }

    private static Row row(LoggedKind kind, List<Integer> ranks, List<Map<LoggedKind, CommsSummary.Row>> byRank) {
        double least = byRank.stream()
                .map(rows -> rows.get(kind))
                .filter(row -> row != null && row.count() > 0)
                .mapToDouble(row -> mean(row.latency()))
                .min()
                .orElse(0);
        List<Share> shares = new ArrayList<>();
        for (int i = 0; i < ranks.size(); i++) {
            shares.add(share(ranks.get(i), byRank.get(i).get(kind), least));
        }
        return new Row(kind, shares);
    }

    private static Share share(int rank, CommsSummary.@Nullable Row row, double least) {
        CommsSummary.Latency latency = row == null ? NONE : row.latency();
        Known matching = row == null ? UNKNOWN : row.phases().matching();
        double excess = Math.max(0, latency.totalNanos() - latency.count() * least);
        return new Share(rank, latency.count(), latency.totalNanos(), mean(latency), excess, matching);
    }

    private static double mean(CommsSummary.Latency latency) {
        return latency.count() == 0 ? 0 : (double) latency.totalNanos() / latency.count();
    }

    /**
     * {@return a table for a terminal: a line for each kind and rank, times in milliseconds; kinds with different numbers of calls are marked with
     * a star}
     */
    public String table() {
        return StragglerTable.of(this);
    }
}

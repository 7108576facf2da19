package io.reactivecomm.rcomm.top;

import io.reactivecomm.observability.watch.JobSnapshot;
import io.reactivecomm.observability.watch.LateRanks;
import io.reactivecomm.observability.watch.RankStatus;
import io.reactivecomm.observability.watch.RankStatus.State;
import io.reactivecomm.recorder.RankReport;
import io.reactivecomm.recorder.WaitingCall;
import java.time.Duration;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A {@link JobSnapshot} as lines of text: a heading, a line for each rank, and sentences about who is late and what has failed.
 *
 * @param job the address of the job's store, for the heading
 * @param zone in which the time of day is said
 * @param mostRanks lines of ranks at most; those that are lost, gone or silent or wait for others come first where there are more
 */
record TopScreen(String job, ZoneId zone, int mostRanks) {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final String HEADING = String.format(
            Locale.ROOT,
            "%5s  %-12s %8s %10s %9s %9s %8s %9s  %s",
            "RANK",
            "HOST",
            "PID",
            "CALLS/S",
            "GB/S",
            "BUS GB/S",
            "WAITING",
            "IN FLIGHT",
            "WAITS");
    private static final int MOST_SENTENCES = 4;
    private static final int MOST_LISTED = 8;
    private static final Duration WORTH_SAYING = Duration.ofMillis(10);

    /** {@return the lines} */
    List<String> lines(JobSnapshot snapshot) {
        List<String> lines = new ArrayList<>();
        lines.add("job at " + job + ", " + ranksText(snapshot) + ", "
                + TIME.format(snapshot.at().atZone(zone)));
        if (snapshot.worldSize() > 0) {
            lines.add(HEADING);
            List<RankStatus> shown = shown(snapshot.ranks());
            shown.forEach(rank -> lines.add(line(rank)));
            if (shown.size() < snapshot.ranks().size()) {
                lines.add("  … and " + (snapshot.ranks().size() - shown.size()) + " more ranks");
            }
        }
        snapshot.late().stream().limit(MOST_SENTENCES).forEach(late -> lines.add(sentence(late)));
        snapshot.failure().ifPresent(text -> lines.add("the world has failed: " + text));
        if (snapshot.isOver()) {
            lines.add("the job has ended: its store has gone");
        }
        return lines;
    }

    private static String ranksText(JobSnapshot snapshot) {
        int size = snapshot.worldSize();
        if (size == 0) {
            return "no rank has come yet";
        }
        long there = snapshot.ranks().stream()
                .filter(rank ->
                        rank.state() == State.PUBLISHING || rank.state() == State.ASKED || rank.state() == State.SILENT)
                .count();
        return there == size ? size + (size == 1 ? " rank" : " ranks") : there + " of " + size + " ranks";
    }

    private List<RankStatus> shown(List<RankStatus> ranks) {
        if (ranks.size() <= mostRanks) {
            return ranks;
        }
        return ranks.stream()
                .sorted(Comparator.comparing(TopScreen::isUsual))
                .limit(mostRanks)
                .toList();
    }

    private static boolean isUsual(RankStatus rank) {
        return rank.state() == State.PUBLISHING
                && rank.report().stream()
                        .flatMap(report -> report.oldest().stream())
                        .allMatch(call -> call.waitsFor().isEmpty());
    }

    private static String line(RankStatus rank) {
        String head = String.format(Locale.ROOT, "%5d  ", rank.rank());
        String who = rank.report()
                .map(report -> String.format(Locale.ROOT, "%-12s %8d ", cut(report.host(), 12), report.pid()))
                .orElse(String.format(Locale.ROOT, "%-12s %8s ", "", ""));
        return (head + who + what(rank)).stripTrailing();
    }

    private static String what(RankStatus rank) {
        return switch (rank.state()) {
            case ABSENT -> "has not come";
            case ASKED -> "…";
            case SILENT -> "silent for " + seconds(rank.since());
            case LEFT -> "left " + seconds(rank.since()) + " ago";
            case LOST -> "LOST";
            case PUBLISHING -> rank.report().map(TopScreen::rates).orElse("tells what this release does not know");
        };
    }

    private static String rates(RankReport report) {
        String rates = report.hasRates()
                ? String.format(
                        Locale.ROOT,
                        "%10s %9.3f %9.3f %6.0f %%",
                        calls(report.callsPerSecond()),
                        report.gigabytesPerSecond(),
                        report.busGigabytesPerSecond(),
                        100 * report.waitingShare())
                : String.format(Locale.ROOT, "%10s %9s %9s %8s", "…", "…", "…", "…");
        String failed = report.failed() == 0 ? "" : "  " + report.failed() + " failed";
        return rates + String.format(Locale.ROOT, " %9d  ", report.inFlight()) + waits(report) + failed;
    }

    private static String calls(double perSecond) {
        return perSecond < 100
                ? String.format(Locale.ROOT, "%.1f", perSecond)
                : String.format(Locale.ROOT, "%,.0f", perSecond);
    }

    /** {@return the oldest call that waits for others, or else the oldest if it is not just passing by} */
    private static String waits(RankReport report) {
        return report.oldest().stream()
                .filter(call -> !call.waitsFor().isEmpty())
                .findFirst()
                .map(call -> text(call) + " for " + ranks(call.waitsFor(), call.lateCount()))
                .orElseGet(() -> report.oldest().stream()
                        .filter(call -> call.since()
                                .filter(since -> since.compareTo(WORTH_SAYING) > 0)
                                .isPresent())
                        .findFirst()
                        .map(TopScreen::text)
                        .orElse(""));
    }

    private static String text(WaitingCall call) {
        String what = call.operation().isEmpty() ? call.label() : call.operation() + " " + call.label();
        return what + call.since().map(since -> " " + seconds(since)).orElse("");
    }

    private static String sentence(LateRanks late) {
        boolean isOne = late.waiting().size() == 1;
        return ranks(late.waiting(), late.waiting().size()) + (isOne ? " waits for " : " wait for ")
                + ranks(late.late(), late.late().size()) + ", which "
                + (late.late().size() == 1 ? "has" : "have") + " not made the call: " + text(late.call());
    }

    private static String ranks(List<Integer> ranks, int count) {
        String listed = ranks.stream().limit(MOST_LISTED).map(String::valueOf).collect(Collectors.joining(", "));
        int more = count - Math.min(ranks.size(), MOST_LISTED);
        return (count == 1 ? "rank " : "ranks ") + listed + (more > 0 ? " and " + more + " more" : "");
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "…";
    }
}

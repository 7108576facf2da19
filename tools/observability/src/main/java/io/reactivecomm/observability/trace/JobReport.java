package io.reactivecomm.observability.trace;

import io.reactivecomm.CommException;
import io.reactivecomm.timeline.TimelineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A report of what the ranks of a job did, from the parts that their timelines wrote: how much of the steps was computing, exposed communication and
 * waiting, who was late, and which calls took how long. {@code rcomm report} makes it on the command line.
 *
 * {@snippet :
 * JobReport report = JobReport.of(List.of(Path.of("trace.0.json"), Path.of("trace.1.json")));
 * System.out.println(report.verdict());
 * report.write(Path.of("report.html"), null);
 * }
 *
 * <p><b>Late.</b> The lateness of a rank in a call is the time of its opening minus the first rank's, on compared clocks. The verdict names a rank if it opens
 * the last call of gradients last in more than half of the steps, more often than by chance, and by more than a twentieth of a step, as a median. Where the record has no steps, the same is asked
 * of all collective calls. A difference below the bound of the clocks names no rank.
 *
 * <p><b>Errors.</b> A {@link TimelineException} for a file that is no part, that cannot be read or written, or that has a rank which another has, too.
 *
 * <p><b>Threads.</b> Any. <b>Cost.</b> The last 4,096 calls of each kind and rank are kept in memory, 200 bytes each.
 */
public final class JobReport {

    private static final double LEAST_SHARE = 0.5;

    /** Standard deviations by which a rank must be last more often than by chance: of a thousand jobs without a late rank, one or two would have one. */
    private static final double DEVIATIONS = 3;

    /** Ranks of a healthy job come one after the other, too. */
    private static final double LEAST_PART = 0.05;

    final JobRecord record;
    final List<MatchedCall> calls;
    final Map<Integer, List<StepSplit>> steps;
    final List<RankFigures> ranks;
    final List<KindFigures> kinds;

    private JobReport(JobRecord record) {
        this.record = record;
        this.calls = MatchedCall.of(record);
        this.steps = StepSplit.of(record, calls);
        this.ranks = RankFigures.of(record, calls, steps);
        this.kinds = KindFigures.of(record);
    }

    /** {@return the report of those parts of one job} */
    public static JobReport of(List<Path> parts) {
        return new JobReport(JobRecord.read(parts));
    }

    /** {@return the parts in a folder, in the order of their names: those of the timeline in a JSON file of each rank} */
    public static List<Path> partsIn(Path folder) {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches(".*\\.\\d+(\\.json)?"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new TimelineException(
                    "a folder of parts cannot be read: folder=" + folder + ", cause=" + CommException.textOf(e), e);
        }
    }

    /** {@return what the report says, in three sentences} */
    public String verdict() {
        return String.join(" ", whatTime(), whoIsLate(), why());
    }

    /** {@return the rank that the verdict names as late} */
    public Optional<Integer> lateRank() {
        return late().map(RankFigures::rank);
    }

    Optional<RankFigures> late() {
        long whole = medianWhole();
        return ranks.stream()
                .filter(rank -> rank.lateShare() > Math.max(LEAST_SHARE, byChance(rank.of()))
                        && rank.lateNanos() > LEAST_PART * whole)
                .findFirst();
    }

    /** {@return the share of so many steps in which a rank is hardly ever last by chance: each rank is so in one of as many as there are ranks} */
    private double byChance(int count) {
        double share = 1.0 / ranks.size();
        return share + DEVIATIONS * Math.sqrt(share * (1 - share) / Math.max(1, count));
    }

    /** {@return the median of a step, or of a call where there are none} */
    private long medianWhole() {
        return RankFigures.median(
                steps.isEmpty()
                        ? calls.stream()
                                .flatMap(call -> call.spans().stream())
                                .map(CallSpan::nanos)
                                .toList()
                        : allSteps().stream().map(StepSplit::whole).toList());
    }

    private List<StepSplit> allSteps() {
        return steps.values().stream().flatMap(List::stream).toList();
    }

    private String whatTime() {
        if (steps.isEmpty()) {
            long nanos = kinds.stream().mapToLong(KindFigures::nanos).sum();
            long matching = kinds.stream().mapToLong(KindFigures::matching).sum();
            int count = kinds.stream().mapToInt(KindFigures::count).sum();
            return text(
                    "%d calls without steps: %s of their time is waiting for other ranks.",
                    count, percent(matching, nanos));
        }
        long whole = allSteps().stream().mapToLong(StepSplit::whole).sum();
        long waiting = allSteps().stream().mapToLong(StepSplit::waiting).sum();
        long communication =
                allSteps().stream().mapToLong(StepSplit::communication).sum();
        int count = steps.values().stream().mapToInt(List::size).max().orElse(0);
        return text(
                "%d steps of %s (median): %s computing, %s exposed communication, %s waiting for other ranks.",
                count,
                millis(medianWhole()),
                percent(whole - waiting - communication, whole),
                percent(communication, whole),
                percent(waiting, whole));
    }

    private String whoIsLate() {
        String places = steps.isEmpty() ? "calls" : "steps";
        return late().map(rank -> text(
                        "Rank %d is late in %s of the %s, by %s (median).",
                        rank.rank(), percent(rank.lateIn(), rank.of()), places, millis(rank.lateNanos())))
                .orElseGet(() -> areClocksKnown()
                        ? text(
                                "No rank is late: none is last in more than half of the %s, more often than by chance, and by more than a twentieth of one.",
                                places)
                        : "No rank can be named: the clocks of some ranks were never compared.");
    }

    private boolean areClocksKnown() {
        int first = record.ranks().getFirst();
        return record.ranks().stream().allMatch(rank -> record.bound(first, rank) != JobRecord.UNKNOWN);
    }

    private String why() {
        Optional<RankFigures> late = late();
        if (late.isPresent()) {
            return 2 * late.get().queuedNanos() > late.get().lateNanos()
                    ? "Its calls wait for its own loop: a callback of its program holds the loop."
                    : "Its calls are assembled late, so the cause is what its program does before them, not the network.";
        }
        long whole = allSteps().stream().mapToLong(StepSplit::whole).sum();
        long waiting = allSteps().stream().mapToLong(StepSplit::waiting).sum();
        long communication =
                allSteps().stream().mapToLong(StepSplit::communication).sum();
        if (steps.isEmpty()) {
            return "Train by steps (GradientHooks), and the report splits them into computing, communication and waiting.";
        }
        if (waiting > communication && waiting > whole / 10) {
            return "Ranks wait for each other in turn, as with noise of the machines: fewer and larger calls average it out.";
        }
        return communication > whole / 5
                ? "Communication that nothing hides is worth reducing: send less, or make the first buckets smaller."
                : "Computing takes most of a step.";
    }

    /**
     * Writes the report as one page that needs no network.
     *
     * @param perf what {@code rcomm perf --json} wrote on the same machines, whose bandwidths are drawn as their limit; null for none
     */
    public void write(Path file, @Nullable Path perf) {
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            Files.writeString(file, ReportPage.of(this, perf));
        } catch (IOException e) {
            throw new TimelineException(
                    "the report cannot be written: file=" + file + ", cause=" + CommException.textOf(e)
                            + "; see that there is room",
                    e);
        }
    }

    private static String percent(long part, long whole) {
        return text("%.0f %%", whole == 0 ? 0 : 100.0 * part / whole);
    }

    private static String millis(long nanos) {
        return text("%.1f ms", nanos / 1e6);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}

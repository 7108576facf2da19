package io.reactivecomm.rcomm.overlap;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.reactivecomm.samples.programs.output.JsonFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs as a Chrome trace, which ui.perfetto.dev shows: an array of events, a process for each rank.
 *
 * <pre>
 *   thread 0    the runs        names of the runs, one after the other
 *   thread 1    compute         forward, backward, optimizer
 *   thread 2…   bucket 0, …     its reduction in flight; a thread each, for reductions overlap
 * </pre>
 *
 * <p><b>Source.</b> Trace Event Format, Google: complete events ({@code "X"}) with times in microseconds, and metadata ({@code "M"}) that
 * name processes and threads.
 */
final class ChromeTrace {

    private static final int RUNS = 0;
    private static final int COMPUTE = 1;
    private static final int FIRST_BUCKET = 2;
    private static final double NANOS_PER_MICRO = 1e3;

    private final List<Event> events = new ArrayList<>();
    private final long originNanos;

    /**
     * One event, with the format's own names.
     *
     * @param name what went on, or which name is given
     * @param ph its kind
     * @param pid the rank
     * @param tid the lane
     * @param ts begin in microseconds, since the first run's; of complete events only
     * @param dur length in microseconds; of complete events only
     * @param args the name that a metadata event gives
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Event(
            String name,
            String ph,
            int pid,
            int tid,
            @Nullable Double ts,
            @Nullable Double dur,
            @Nullable Map<String, String> args) {}

    private ChromeTrace(long originNanos) {
        this.originNanos = originNanos;
    }

    /** Writes a trace of the runs. */
    static void write(List<OverlapRun> runs, Path file) {
        JsonFile.writeLines(events(runs), file, "trace", "--trace");
    }

    /** {@return the events of the runs: names first, then rank by rank and run by run} */
    static List<Event> events(List<OverlapRun> runs) {
        long origin = runs.stream()
                .flatMap(run -> run.ranks().stream())
                .mapToLong(rank -> rank.steps().getFirst().step().fromNanos())
                .min()
                .orElse(0);
        ChromeTrace trace = new ChromeTrace(origin);
        for (int rank = 0; rank < runs.getFirst().ranks().size(); rank++) {
            trace.addNames(rank, runs);
            for (OverlapRun run : runs) {
                trace.addRun(rank, run);
            }
        }
        return trace.events;
    }

    private void addNames(int rank, List<OverlapRun> runs) {
        addName("process_name", rank, RUNS, "rank " + rank);
        addName("thread_name", rank, RUNS, "runs");
        addName("thread_name", rank, COMPUTE, "compute");
        int buckets = runs.stream()
                .flatMap(run -> run.ranks().get(rank).steps().stream())
                .mapToInt(step -> step.reductions().size())
                .max()
                .orElse(0);
        for (int bucket = 0; bucket < buckets; bucket++) {
            addName("thread_name", rank, FIRST_BUCKET + bucket, "bucket " + bucket);
        }
    }

    private void addName(String kind, int rank, int lane, String name) {
        events.add(new Event(kind, "M", rank, lane, null, null, Map.of("name", name)));
    }

    private void addRun(int rank, OverlapRun run) {
        List<StepTimes> steps = run.ranks().get(rank).steps();
        TimeSpan whole = new TimeSpan(
                run.title(),
                steps.getFirst().step().fromNanos(),
                steps.getLast().step().toNanos());
        addSpan(rank, RUNS, whole);
        for (StepTimes step : steps) {
            step.compute().forEach(span -> addSpan(rank, COMPUTE, span));
            for (int bucket = 0; bucket < step.reductions().size(); bucket++) {
                addSpan(rank, FIRST_BUCKET + bucket, step.reductions().get(bucket));
            }
        }
    }

    private void addSpan(int rank, int lane, TimeSpan span) {
        double from = (span.fromNanos() - originNanos) / NANOS_PER_MICRO;
        double length = (span.toNanos() - span.fromNanos()) / NANOS_PER_MICRO;
        events.add(new Event(span.name(), "X", rank, lane, from, length, null));
    }
}

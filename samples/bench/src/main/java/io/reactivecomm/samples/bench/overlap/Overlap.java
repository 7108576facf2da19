package io.reactivecomm.samples.bench.overlap;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.samples.bench.latency.DelayedTransport;
import io.reactivecomm.samples.bench.latency.LinkShape;
import io.reactivecomm.samples.bench.latency.Rate;
import io.reactivecomm.samples.bench.output.JsonFile;
import io.reactivecomm.samples.programs.output.OutputFile;
import io.reactivecomm.samples.programs.train.Digits;
import io.reactivecomm.samples.programs.world.RankProgram;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/** The program of each rank of {@code rcomm overlap}: trains run after run, and on rank 0 shows what that gave. */
final class Overlap implements RankProgram {

    private final OverlapOptions options;
    private final Outputs outputs;
    private final String transport;
    private final OverlapTable table;
    private final Digits data = Digits.load().train();

    /**
     * The files that results go to.
     *
     * @param trace all measured steps, for Perfetto
     * @param chart a few steps of each run
     * @param json the figures, or null for nowhere
     */
    record Outputs(Path trace, Path chart, @Nullable Path json) {

        /** @throws IllegalArgumentException if one cannot be written, or two are the same: known before the training, not after it */
        void requireWritable() {
            OutputFile.requireWritable(trace, "--trace");
            OutputFile.requireWritable(chart, "--chart");
            if (json != null) {
                OutputFile.requireWritable(json, "--json");
            }
            List<Path> all = Stream.of(trace, chart, json)
                    .filter(Objects::nonNull)
                    .map(file -> file.toAbsolutePath().normalize())
                    .toList();
            if (all.stream().distinct().count() < all.size()) {
                throw new IllegalArgumentException("two outputs are one file: trace=" + trace + ", chart=" + chart + ", json=" + json
                        + "; give each a file of its own");
            }
        }
    }

    /**
     * Makes the program of every rank.
     *
     * @param transport the name of the ranks' own links, to be shown
     * @throws IllegalArgumentException if there are too few images for a batch
     */
    Overlap(OverlapOptions options, Outputs outputs, String transport, PrintWriter out) {
        this.options = options;
        this.outputs = outputs;
        this.transport = transport;
        this.table = new OverlapTable(out);
        if (options.batch() > data.count()) {
            throw new IllegalArgumentException("batch is larger than all images: batch=" + options.batch() + ", images="
                    + data.count() + "; take fewer a step");
        }
    }

    @Override
    public void run(ProcessGroup group) {
        if (group.rank() == 0) {
            table.begin(options, group.size());
        }
        Results results = new Results();
        trainBoth(group, transport, Duration.ZERO, results);
        if (!options.latency().isZero()) {
            DelayedTransport delayed = DelayedTransport.overTcp(LinkShape.of(options.latency(), Rate.UNLIMITED));
            try (ProcessGroup second = delayed.secondWorld(group).blockOptional().orElseThrow()) {
                trainBoth(second, delayed.name(), options.latency(), results);
            }
        }
        if (group.rank() == 0) {
            finish(results);
        }
    }

    /** The results so far: the same on all ranks. */
    private static final class Results {

        private final List<OverlapRun> runs = new ArrayList<>();
        private final List<OverlapRow> rows = new ArrayList<>();

        private OverlapRow add(OverlapRun run) {
            runs.add(run);
            OverlapRun reference = runs.stream().filter(each -> each.isReferenceOf(run)).findFirst().orElseThrow();
            rows.add(OverlapRow.of(run, reference, runs.getFirst().ranks().getFirst().hash()));
            return rows.getLast();
        }
    }

    private void trainBoth(ProcessGroup group, String links, Duration latency, Results results) {
        for (Variant variant : Variant.values()) {
            OverlapRow row = results.add(new OverlapRun(links, latency, variant, train(group, variant)));
            if (group.rank() == 0) {
                table.add(row);
            }
        }
    }

    private List<RankRun> train(ProcessGroup group, Variant variant) {
        try (TrainingRun training = new TrainingRun(group, variant, options, data)) {
            return group.named("figures")
                    .allGatherObject(training.train(), RankRun.class)
                    .blockOptional()
                    .orElseThrow();
        }
    }

    private void finish(Results results) {
        table.end(results.rows, Runtime.getRuntime().availableProcessors());
        allOf(List.of(
                () -> requireNoErrors(results.rows),
                () -> {
                    if (outputs.json() != null) {
                        JsonFile.write(results.rows, outputs.json(), "figures", "--json");
                    }
                },
                () -> {
                    ChromeTrace.write(results.runs, outputs.trace());
                    table.say("trace %s (open it in ui.perfetto.dev)", outputs.trace());
                },
                () -> {
                    TimelineChart.write(results.runs, outputs.chart());
                    table.say("chart %s", outputs.chart());
                }));
    }

    /**
     * Does all of that, whatever becomes of some: a file that cannot be written costs neither the others nor the verdict.
     *
     * @throws RuntimeException the first that was thrown, with the others suppressed
     */
    static void allOf(List<Runnable> actions) {
        RuntimeException first = null;
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException e) {
                first = first == null ? e : Exceptions.addSuppressed(first, e);
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Fast and wrong is no result: the numbers are shown, and the command fails. */
    static void requireNoErrors(List<OverlapRow> rows) {
        rows.stream().filter(row -> row.errors() > 0).findFirst().ifPresent(row -> {
            throw new CommException("parameters differ: links=" + row.links() + ", variant=" + row.variant() + ", ranks="
                    + row.errors() + ", expected=" + rows.getFirst().hash()
                    + "; every rank should add the same bits in every run, so report this as a defect of the engine");
        });
    }
}

package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.rcomm.latency.DelayedTransport;
import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.samples.programs.output.JsonFile;
import io.reactivecomm.samples.programs.output.OutputFile;
import io.reactivecomm.samples.programs.output.Progress;
import io.reactivecomm.samples.programs.train.Digits;
import io.reactivecomm.samples.programs.world.RankProgram;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/** The program of each rank of {@code rcomm overlap}: trains run after run, and on rank 0 shows what that gave. */
final class Overlap implements RankProgram {

    private final OverlapOptions options;
    private final Outputs outputs;
    private final String transport;
    private final OverlapTable table;
    private final RunTrainer trainer;

    /**
     * The files that results go to.
     *
     * @param trace all measured steps, for Perfetto
     * @param chart a few steps of each run
     * @param json the figures, or null for nowhere
     * @param timeline all calls, for Perfetto, or null for nowhere
     */
    record Outputs(
            Path trace,
            Path chart,
            @Nullable Path json,
            @Nullable Path timeline) {

        /** @throws IllegalArgumentException if one cannot be written, or two are the same: known before the training, not after it */
        void requireWritable() {
            OutputFile.requireWritable(trace, "--trace");
            OutputFile.requireWritable(chart, "--chart");
            if (json != null) {
                OutputFile.requireWritable(json, "--json");
            }
            if (timeline != null) {
                OutputFile.requireWritable(timeline, "--timeline");
            }
            List<Path> all = Stream.of(trace, chart, json, timeline)
                    .filter(Objects::nonNull)
                    .map(file -> file.toAbsolutePath().normalize())
                    .toList();
            if (all.stream().distinct().count() < all.size()) {
                throw new IllegalArgumentException(
                        "two outputs are one file: trace=" + trace + ", chart=" + chart + ", json=" + json
                                + (timeline == null ? "" : ", timeline=" + timeline) + "; give each a file of its own");
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
        this(options, outputs, transport, new HostTrainer(options, images(options)), out);
    }

    /** Makes the program of every rank, with another way to compute and to reduce. */
    Overlap(OverlapOptions options, Outputs outputs, String transport, RunTrainer trainer, PrintWriter out) {
        this.options = options;
        this.outputs = outputs;
        this.transport = transport;
        this.table = new OverlapTable(out);
        this.trainer = trainer;
    }

    private static Digits images(OverlapOptions options) {
        Digits data = Digits.load().train();
        if (options.batch() > data.count()) {
            throw new IllegalArgumentException("batch is larger than all images: batch=" + options.batch() + ", images="
                    + data.count() + "; take fewer a step");
        }
        return data;
    }

    @Override
    public void run(ProcessGroup group) {
        try (RankTimeline timeline = RankTimeline.of(outputs.timeline(), group.rank())) {
            timeline.observe(group);
            run(group, timeline);
            timeline.merge(group, table.out());
        }
    }

    private void run(ProcessGroup group, RankTimeline timeline) {
        if (group.rank() == 0) {
            table.begin(trainer.title(options, group.size()));
        }
        Results results = new Results();
        trainBoth(group, new Links(transport, LinkShape.NONE), Contents.PLAIN, results);
        if (!options.shape().isNone()) {
            DelayedTransport slow = DelayedTransport.overTcp(options.shape());
            Links links = new Links(slow.name(), options.shape());
            ReactiveComm.using(slow.secondWorld(group), second -> {
                timeline.observe(second);
                trainBoth(second, links, Contents.PLAIN, results);
                if (!options.contents().isPlain()) {
                    trainBoth(second, links, options.contents(), results);
                }
                return null;
            });
        }
        if (group.rank() == 0) {
            finish(results);
        }
    }

    /** The links of some runs, by the name that is shown. */
    private record Links(String name, LinkShape shape) {}

    /** The results so far: the same on all ranks. */
    private static final class Results {

        private final List<OverlapRun> runs = new ArrayList<>();
        private final List<OverlapRow> rows = new ArrayList<>();

        private OverlapRow add(OverlapRun run) {
            runs.add(run);
            long expected =
                    first(each -> each.isOfContentsOf(run)).ranks().getFirst().hash();
            rows.add(OverlapRow.of(
                    run, first(each -> each.isReferenceOf(run)), first(each -> each.isPlainOf(run)), expected));
            return rows.getLast();
        }

        private OverlapRun first(Predicate<OverlapRun> wanted) {
            return runs.stream().filter(wanted).findFirst().orElseThrow();
        }
    }

    private void trainBoth(ProcessGroup group, Links links, Contents contents, Results results) {
        for (Variant variant : Variant.values()) {
            String doing = links.name() + " " + variant + (contents.isPlain() ? "" : " " + contents);
            Progress.ofRank(group.rank()).at(results.runs.size(), worlds() * Variant.values().length, doing);
            OverlapRow row = results.add(
                    new OverlapRun(links.name(), links.shape(), contents, variant, train(group, variant, contents)));
            if (group.rank() == 0) {
                table.add(row);
            }
        }
    }

    /** {@return how often all variants are trained} */
    private int worlds() {
        return options.shape().isNone() ? 1 : options.contents().isPlain() ? 2 : 3;
    }

    private List<RankRun> train(ProcessGroup group, Variant variant, Contents contents) {
        RankRun run = trainer.train(group, variant, contents);
        return group.named("figures")
                .allGatherObject(run, RankRun.class)
                .blockOptional()
                .orElseThrow();
    }

    private void finish(Results results) {
        table.end(results.rows, trainer.notes(results.rows.getFirst().ranks()));
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
                () -> table.say("%s", TimelineChart.write(results.runs, outputs.chart()))));
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
            String expected = rows.stream()
                    .filter(each -> each.buckets().equals(row.buckets()))
                    .findFirst()
                    .orElse(row)
                    .hash();
            throw new CommException("parameters differ: links=" + row.links() + ", variant=" + row.variant()
                    + ", buckets=" + row.buckets() + ", ranks="
                    + row.errors() + ", expected=" + expected
                    + "; every rank should add the same bits in every run, so report this as a defect of the engine");
        });
    }
}

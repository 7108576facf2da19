package io.reactivecomm.rcomm.perf;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.samples.programs.output.Progress;
import io.reactivecomm.samples.programs.world.RankProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;

/** The program of each rank of {@code rcomm perf}: measures case after case, and on rank 0 shows and hands over the rows. */
final class Perf implements RankProgram {

    private final PerfOptions options;
    private final Setup setup;
    private final PerfTable table;
    private final Consumer<List<PerfRow>> results;

    /**
     * Makes the program of every rank.
     *
     * @param table where rank 0 shows each row as it is there
     * @param results who gets them all, on rank 0
     */
    Perf(PerfOptions options, Setup setup, PerfTable table, Consumer<List<PerfRow>> results) {
        this.options = options;
        this.setup = setup;
        this.table = table;
        this.results = results;
    }

    @Override
    public void run(ProcessGroup group) {
        List<PerfRow> rows = new ArrayList<>();
        List<UnsupportedCollectiveException> refusals = new ArrayList<>();
        List<Long> sizes = options.sizesToMeasure();
        for (int i = 0; i < sizes.size(); i++) {
            long size = sizes.get(i);
            try {
                rows.add(measure(group, size, i == 0 && options.timing().isCold(), told(group, i, sizes)));
                if (group.rank() == 0) {
                    table.add(rows.getLast());
                }
            } catch (UnsupportedCollectiveException e) {
                // Checked before anything is sent, so on all ranks alike; other sizes may do.
                refusals.add(e);
                skip(group, size, e);
            }
        }
        if (rows.isEmpty()) {
            throw refusals.getFirst();
        }
        if (group.rank() == 0) {
            results.accept(List.copyOf(rows));
        }
    }

    /** {@return who takes the part of a case that is done} */
    private DoubleConsumer told(ProcessGroup group, int number, List<Long> sizes) {
        Progress progress = Progress.ofRank(group.rank());
        String doing = setup.transport() + " " + options.op()
                + (options.op().isOfList() ? "" : " of " + sizes.get(number) + " bytes");
        return fraction -> progress.at(number + fraction, sizes.size(), doing);
    }

    private void skip(ProcessGroup group, long size, UnsupportedCollectiveException reason) {
        if (group.rank() == 0) {
            table.note("skipped " + size + " bytes: " + CommException.textOf(reason));
        }
    }

    /** Fast and wrong is no result: the numbers are shown, and the command fails. */
    static void requireNoErrors(List<PerfRow> rows) {
        rows.stream().filter(row -> row.errors() > 0).findFirst().ifPresent(row -> {
            throw new CommException("results are wrong: op=" + row.op() + ", bytes=" + row.bytes() + ", errors="
                    + row.errors() + ", algorithm=" + row.algorithm() + "; report this as a defect of the engine");
        });
    }

    /** Each case is warmed up: what small tensors have compiled is no use to large ones, which take other ways. */
    private PerfRow measure(ProcessGroup group, long size, boolean isCold, DoubleConsumer told) {
        try (Measured measured = measured(group, size)) {
            Rounds rounds = new Rounds(group, measured, options.timing(), told);
            if (isCold) {
                showColdStart(group, measured);
            } else {
                rounds.warmUp();
            }
            Rounds.Result result = timed(group, rounds);
            if (group.rank() == 0) {
                CompilerLoad.complaint(result.compiling(), options.timing().warmUp())
                        .ifPresent(table::note);
            }
            return row(group, measured, result);
        }
    }

    private void showColdStart(ProcessGroup group, Measured measured) {
        ColdStart.Figures figures =
                new ColdStart(group, measured).run(options.timing().warmUp());
        if (group.rank() == 0) {
            table.note(figures.toString());
        }
    }

    private Rounds.Result timed(ProcessGroup group, Rounds rounds) {
        try (BusyProcesses neighbours =
                BusyProcesses.start(group.rank() == 0 ? options.timing().busy() : 0)) {
            return rounds.measure();
        }
    }

    private Measured measured(ProcessGroup group, long size) {
        ProcessGroup calls = group.algorithm(options.algorithm());
        return options.op().isOfList()
                ? new ListCase(options.op(), options.counts(), setup.buffers(), calls)
                : MeasuredCollective.of(options.op(), size, options.type(), setup.buffers(), calls);
    }

    private PerfRow row(ProcessGroup group, Measured measured, Rounds.Result result) {
        long bytes = measured.byteSize();
        BatchMeans means = result.means();
        return new PerfRow(
                measured.op().toString(),
                group.size(),
                bytes,
                setup.transport().toString(),
                setup.buffers().toString(),
                options.typeName(),
                result.algorithm(),
                means.median(),
                means.min(),
                means.max(),
                means.algorithmBandwidth(bytes),
                means.busBandwidth(measured.op(), group.size(), bytes),
                result.errors());
    }
}

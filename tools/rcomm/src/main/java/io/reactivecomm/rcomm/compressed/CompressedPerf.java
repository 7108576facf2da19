package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.rcomm.latency.DelayedTransport;
import io.reactivecomm.rcomm.perf.BatchMeans;
import io.reactivecomm.rcomm.perf.CompilerLoad;
import io.reactivecomm.samples.programs.codec.CodecChoice;
import io.reactivecomm.samples.programs.output.Progress;
import io.reactivecomm.samples.programs.world.RankProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The program of each rank of {@code rcomm perf compressed}: measures case after case, and on rank 0 shows and hands over the rows. */
final class CompressedPerf implements RankProgram {

    private final CompressedOptions options;
    private final String links;
    private final CompressedTable table;
    private final Consumer<List<CompressedRow>> results;

    /**
     * Makes the program of every rank.
     *
     * @param links the name of the ranks' own
     * @param table where rank 0 shows each row as it is there
     * @param results who gets them all, on rank 0
     */
    CompressedPerf(
            CompressedOptions options, String links, CompressedTable table, Consumer<List<CompressedRow>> results) {
        this.options = options;
        this.links = links;
        this.table = table;
        this.results = results;
    }

    @Override
    public void run(ProcessGroup group) {
        List<CompressedRow> rows = new ArrayList<>();
        measureAll(group, links, rows);
        if (!options.shape().isNone()) {
            DelayedTransport slow = DelayedTransport.overTcp(options.shape());
            ReactiveComm.using(slow.secondWorld(group), second -> {
                measureAll(second, slow.name(), rows);
                return null;
            });
        }
        if (group.rank() == 0) {
            results.accept(List.copyOf(rows));
        }
    }

    private void measureAll(ProcessGroup group, String name, List<CompressedRow> rows) {
        for (long bytes : options.sizes()) {
            for (CodecChoice codec : options.codecs()) {
                tell(group, name, codec, bytes, rows.size());
                try (Race race = new Race(group, codec, bytes, options.timing())) {
                    Race.Result result = race.run();
                    rows.add(row(codec, group.size(), bytes, name, result));
                    show(group, rows.getLast(), result.compiling());
                }
            }
        }
    }

    private void tell(ProcessGroup group, String name, CodecChoice codec, long bytes, int done) {
        int all = options.sizes().size()
                * options.codecs().size()
                * (options.shape().isNone() ? 1 : 2);
        Progress.ofRank(group.rank()).at(done, all, name + " " + codec + " of " + bytes + " bytes");
    }

    private void show(ProcessGroup group, CompressedRow row, double compiling) {
        if (group.rank() == 0) {
            CompilerLoad.complaint(compiling, options.timing().warmUp()).ifPresent(table::note);
            table.add(row);
        }
    }

    private static CompressedRow row(CodecChoice codec, int ranks, long bytes, String links, Race.Result result) {
        BatchMeans times = result.compressed().means();
        double plain = result.plain().means().median();
        return new CompressedRow(
                codec.toString(),
                ranks,
                bytes,
                links,
                times.median(),
                times.min(),
                times.max(),
                result.compressed().wireBytes(),
                plain,
                result.plain().wireBytes(),
                plain / times.median(),
                result.errors());
    }

    /** Small and wrong is no result: the numbers are shown, and the command fails. */
    static void requireNoErrors(List<CompressedRow> rows) {
        rows.stream().filter(row -> row.errors() > 0).findFirst().ifPresent(row -> {
            throw new CommException("results are wrong: codec=" + row.codec() + ", ranks=" + row.ranks() + ", bytes="
                    + row.bytes() + ", links=" + row.links() + ", errors=" + row.errors()
                    + "; report this as a defect of the codec or its reduction");
        });
    }
}

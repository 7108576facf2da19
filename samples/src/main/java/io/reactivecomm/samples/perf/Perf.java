package io.reactivecomm.samples.perf;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.samples.world.RankProgram;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** What each rank of {@code rcomm perf} does: measures case after case, and, if it is rank 0, shows the rows. */
final class Perf implements RankProgram {

    private final PerfOptions options;
    private final String transport;
    private final PrintWriter out;

    Perf(PerfOptions options, String transport, PrintWriter out) {
        this.options = options;
        this.transport = transport;
        this.out = out;
    }

    @Override
    public void run(ProcessGroup group) {
        boolean speaks = group.rank() == 0;
        PerfTable table = new PerfTable(out);
        if (speaks) {
            table.begin(group.size(), transport, options);
        }
        List<PerfRow> rows = new ArrayList<>();
        warmUp(group);
        for (long size : sizes()) {
            PerfRow row = measure(group, size);
            rows.add(row);
            if (speaks) {
                table.add(row);
            }
        }
        if (speaks && options.json() != null) {
            PerfJson.write(rows, options.json());
        }
        requireNoErrors(rows);
    }

    /** Fast and wrong is no result: the numbers are shown, and the command fails. */
    static void requireNoErrors(List<PerfRow> rows) {
        rows.stream().filter(row -> row.errors() > 0).findFirst().ifPresent(row -> {
            throw new CommException("results are wrong: op=" + row.op() + ", bytes=" + row.bytes() + ", errors="
                    + row.errors() + ", algorithm=" + row.algorithm() + "; report this as a defect of the engine");
        });
    }

    /** {@return the sizes to measure; those that have no size are measured once} */
    private List<Long> sizes() {
        return options.op().isBarrier() || options.op().isOfList() ? List.of(0L) : options.sizes();
    }

    /** The first case compiles what all cases run, which takes longer than its own warm-up. */
    private void warmUp(ProcessGroup group) {
        try (Measured measured = measured(group, sizes().getFirst())) {
            new Rounds(group, measured, options.timing()).warmUp();
        }
    }

    private PerfRow measure(ProcessGroup group, long size) {
        try (Measured measured = measured(group, size)) {
            return row(group, measured, new Rounds(group, measured, options.timing()).measure());
        }
    }

    private Measured measured(ProcessGroup group, long size) {
        ProcessGroup calls = group.algorithm(options.algorithm());
        return options.op().isOfList()
                ? new ListCase(options.op(), options.counts(), options.buffers(), calls)
                : CollectiveCase.of(options.op(), size, options.type(), options.buffers(), calls);
    }

    private PerfRow row(ProcessGroup group, Measured measured, Rounds.Result result) {
        long bytes = measured.byteSize();
        BatchMeans means = result.means();
        return new PerfRow(
                measured.op().toString(),
                group.size(),
                bytes,
                transport,
                options.buffers().toString(),
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

package io.reactivecomm.samples.perf;

import java.io.PrintWriter;
import java.util.Locale;

/** The table for the terminal: a line as each measurement is done. */
final class PerfTable {

    private static final String HEADER = "%-14s %5s %12s %-9s %-24s %12s %12s %12s %11s %11s %7s%n";
    private static final String ROW = "%-14s %5d %12d %-9s %-24s %12.2f %12.2f %12.2f %11.4f %11.4f %7d%n";

    private final PrintWriter out;

    PerfTable(PrintWriter out) {
        this.out = out;
    }

    void begin(int ranks, String transport, PerfOptions options) {
        out.printf(
                Locale.ROOT,
                "# %s over %s, %d ranks, %s buffers; times of one round, medians of %d batch means%n",
                options.op(),
                transport,
                ranks,
                options.buffers(),
                options.timing().batches());
        out.printf(
                Locale.ROOT,
                HEADER,
                "op",
                "ranks",
                "bytes",
                "dtype",
                "algorithm",
                "median us",
                "min us",
                "max us",
                "algbw GB/s",
                "busbw GB/s",
                "errors");
        out.flush();
    }

    void add(PerfRow row) {
        out.printf(
                Locale.ROOT,
                ROW,
                row.op(),
                row.ranks(),
                row.bytes(),
                row.dtype(),
                row.algorithm(),
                row.medianMicros(),
                row.minMicros(),
                row.maxMicros(),
                row.algbwGBps(),
                row.busbwGBps(),
                row.errors());
        out.flush();
    }
}

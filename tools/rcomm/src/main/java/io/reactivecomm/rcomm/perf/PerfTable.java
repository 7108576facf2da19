package io.reactivecomm.rcomm.perf;

import java.io.PrintWriter;
import java.util.Locale;

/** The table for the terminal: a line as each measurement is done. */
final class PerfTable {

    private static final String HEADER = "%-20s %5s %12s %-16s %-8s %-9s %-24s %12s %12s %12s %11s %11s %7s%n";
    private static final String ROW = "%-20s %5d %12d %-16s %-8s %-9s %-24s %12.2f %12.2f %12.2f %11.4f %11.4f %7d%n";

    private final PrintWriter out;
    private final PerfOptions options;
    private boolean begun;

    /** Makes a table that begins by itself with the first row. */
    PerfTable(PrintWriter out, PerfOptions options) {
        this.out = out;
        this.options = options;
    }

    /** {@return the rest of a table that another process has begun} */
    static PerfTable continued(PrintWriter out, PerfOptions options) {
        PerfTable table = new PerfTable(out, options);
        table.begun = true;
        return table;
    }

    /** Begins the table before a row is there: rows of other processes are to stand under its header. */
    void begin(int ranks) {
        begun = true;
        note(options.op() + ", " + ranks + " ranks; times of one round, medians of "
                + options.timing().batches() + " batch means");
        header();
    }

    void header() {
        out.printf(
                Locale.ROOT,
                HEADER,
                "op",
                "ranks",
                "bytes",
                "transport",
                "buffers",
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

    /** Says something between the rows; a reader of the table can tell it from one. */
    void note(String text) {
        out.println("# " + text);
        out.flush();
    }

    void add(PerfRow row) {
        if (!begun) {
            begin(row.ranks());
        }
        out.printf(
                Locale.ROOT,
                ROW,
                row.op(),
                row.ranks(),
                row.bytes(),
                row.transport(),
                row.buffers(),
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

package io.reactivecomm.rcomm.compressed;

import java.io.PrintWriter;
import java.util.Locale;

/** The table for the terminal: a line as each measurement is done. */
final class CompressedTable {

    private static final String HEADER = "%-9s %5s %12s %-24s %12s %12s %9s %14s %14s %8s %7s%n";
    private static final String ROW = "%-9s %5d %12d %-24s %12.1f %12.1f %8.2fx %14d %14d %7.1fx %7d%n";

    private final PrintWriter out;

    CompressedTable(PrintWriter out) {
        this.out = out;
    }

    void begin(CompressedOptions options) {
        note("all-reduce of float32, SUM, plain and compressed in turn; medians of "
                + options.timing().rounds()
                + " rounds. sent: by the rank that sends most, in a call. saved: plain / compressed");
        out.printf(
                Locale.ROOT,
                HEADER,
                "codec",
                "ranks",
                "bytes",
                "links",
                "plain us",
                "median us",
                "faster",
                "plain sent",
                "sent",
                "saved",
                "errors");
        out.flush();
    }

    /** Says something between the rows; a reader of the table can tell it from one. */
    void note(String text) {
        out.println("# " + text);
        out.flush();
    }

    void add(CompressedRow row) {
        out.printf(
                Locale.ROOT,
                ROW,
                row.codec(),
                row.ranks(),
                row.bytes(),
                row.links(),
                row.plainMicros(),
                row.medianMicros(),
                row.speedUp(),
                row.plainWireBytes(),
                row.wireBytes(),
                row.plainWireBytes() / (double) Math.max(1, row.wireBytes()),
                row.errors());
        out.flush();
    }
}

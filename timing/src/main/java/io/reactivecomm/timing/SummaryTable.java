package io.reactivecomm.timing;

import io.reactivecomm.internal.base.PrintableText;
import io.reactivecomm.timing.CommsSummary.Known;
import io.reactivecomm.timing.CommsSummary.Row;
import java.util.Locale;

/** The summary as a table of fixed width, with DeepSpeed's columns first. */
final class SummaryTable {

    static final double NANOS_PER_MILLI = 1e6;

    private static final String HEADER =
            "%-22s %14s %5s %-8s %9s %6s %12s %12s %12s %12s %10s %10s %10s %10s %10s %10s %14s %10s %9s%s%n";
    private static final String ROW =
            "%-22s %14d %5d %-8s %9d %6d %12.3f %12.3f %12.3f %12.3f %10.3f %10.3f %10s %10s %10s %10s %14s %10s %9s%s%n";

    private SummaryTable() {}

    static String of(CommsSummary summary) {
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                "# calls of rank %d of %s from %s to %s; phases and bytes are means of a call%n",
                summary.rank(),
                summary.worldSize() == 0 ? "?" : summary.worldSize(),
                summary.since(),
                summary.at()));
        table.append(String.format(
                Locale.ROOT,
                HEADER,
                "operation",
                "bytes",
                "ranks",
                "engine",
                "count",
                "failed",
                "total ms",
                "average ms",
                "min ms",
                "max ms",
                "algbw GB/s",
                "busbw GB/s",
                "queued ms",
                "match ms",
                "wire ms",
                "fold ms",
                "payload B",
                "header B",
                "calls",
                ""));
        for (Row row : summary.rows()) {
            table.append(line(row));
        }
        if (summary.unlisted() > 0) {
            table.append(String.format(Locale.ROOT, "# and %d calls of further kinds%n", summary.unlisted()));
        }
        return table.toString();
    }

    private static String line(Row row) {
        LoggedKind kind = row.kind();
        return String.format(
                Locale.ROOT,
                ROW,
                operation(kind),
                kind.byteSize(),
                kind.groupSize(),
                PrintableText.of(orDash(kind.backend())),
                row.count(),
                row.failed(),
                row.latency().totalNanos() / NANOS_PER_MILLI,
                row.latency().trimmedMeanNanos() / NANOS_PER_MILLI,
                row.latency().minNanos() / NANOS_PER_MILLI,
                row.latency().maxNanos() / NANOS_PER_MILLI,
                row.algorithmBandwidth(),
                row.busBandwidth(),
                millis(row.phases().queued()),
                millis(row.phases().matching()),
                millis(row.phases().wire()),
                millis(row.phases().fold()),
                bytes(row.payloadBytes()),
                bytes(row.headerBytes()),
                calls(row),
                row.failures().isEmpty() ? "" : PrintableText.of(" " + row.failures()));
    }

    /** {@return what a kind's lines begin with} Names and tags are programs' own, and rows may be another rank's. */
    static String operation(LoggedKind kind) {
        return PrintableText.of(words(kind));
    }

    private static String words(LoggedKind kind) {
        String words = orDash(kind.operation())
                + (kind.name().isEmpty() ? "" : " " + kind.name())
                + (kind.callSite().isEmpty() ? "" : " at " + kind.callSite());
        if (kind.isTimed()) {
            return "[" + kind.tag() + "]";
        }
        return kind.tag().isEmpty() ? words : "  [" + kind.tag() + "] " + words;
    }

    /** {@return the calls under an operator; nothing is known where none was heard of, so that is no 0} */
    private static String calls(Row row) {
        if (!row.kind().isTimed()) {
            return "";
        }
        return row.isUntimed() ? "untimed" : Long.toString(row.calls().total());
    }

    private static String bytes(Known known) {
        return known.count() == 0 ? "-" : String.format(Locale.ROOT, "%.0f", known.mean());
    }

    private static String orDash(String text) {
        return text.isEmpty() ? "-" : text;
    }

    static String millis(Known known) {
        return known.count() == 0 ? "-" : String.format(Locale.ROOT, "%.3f", known.mean() / NANOS_PER_MILLI);
    }
}

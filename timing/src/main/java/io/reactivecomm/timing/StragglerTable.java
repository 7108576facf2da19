package io.reactivecomm.timing;

import io.reactivecomm.timing.Stragglers.Row;
import io.reactivecomm.timing.Stragglers.Share;
import java.util.Locale;

/** The comparison of ranks as a table of fixed width. */
final class StragglerTable {

    private static final String HEADER = "%-22s %14s %5s %5s %9s  %12s %12s %12s %10s%n";
    private static final String ROW = "%-22s %14d %5d %5d %9d%s %12.3f %12.3f %12.3f %10s%n";

    private StragglerTable() {}

    static String of(Stragglers stragglers) {
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                HEADER,
                "operation",
                "bytes",
                "ranks",
                "rank",
                "count",
                "total ms",
                "mean ms",
                "excess ms",
                "match ms"));
        for (Row row : stragglers.rows()) {
            for (Share share : row.shares()) {
                table.append(line(row, share));
            }
        }
        return table.toString();
    }

    private static String line(Row row, Share share) {
        return String.format(
                Locale.ROOT,
                ROW,
                SummaryTable.operation(row.kind()),
                row.kind().byteSize(),
                row.kind().groupSize(),
                share.rank(),
                share.count(),
                row.isRagged() ? "*" : " ",
                share.totalNanos() / SummaryTable.NANOS_PER_MILLI,
                share.meanNanos() / SummaryTable.NANOS_PER_MILLI,
                share.excessNanos() / SummaryTable.NANOS_PER_MILLI,
                SummaryTable.millis(share.matching()));
    }
}

package io.reactivecomm.timing;

import io.reactivecomm.timing.CommsSummary.Known;
import io.reactivecomm.timing.CommsSummary.Row;
import java.util.List;

/** The summary as comma-separated values. */
final class SummaryCsv {

    private static final String END = "\r\n";

    private static final List<String> COLUMNS = List.of(
            "rank", "operation", "byteSize", "groupSize", "backend", "name", "count", "failed", "totalNanos", "minNanos", "maxNanos", "averageNanos",
            "algbwGBps", "busbwGBps", "queuedMeanNanos", "matchingMeanNanos", "wireMeanNanos", "foldMeanNanos", "payloadBytes");

    private SummaryCsv() {}

    static String of(CommsSummary summary) {
        StringBuilder lines = new StringBuilder(String.join(",", COLUMNS)).append(END);
        summary.rows().forEach(row -> lines.append(line(summary.rank(), row)).append(END));
        return lines.toString();
    }

    private static String line(int rank, Row row) {
        LoggedKind kind = row.kind();
        return String.join(
                ",",
                Integer.toString(rank),
                quoted(kind.operation()),
                Long.toString(kind.byteSize()),
                Integer.toString(kind.groupSize()),
                quoted(kind.backend()),
                quoted(kind.name()),
                Long.toString(row.count()),
                Long.toString(row.failed()),
                Long.toString(row.latency().totalNanos()),
                Long.toString(row.latency().minNanos()),
                Long.toString(row.latency().maxNanos()),
                Double.toString(row.latency().trimmedMeanNanos()),
                Double.toString(row.algorithmBandwidth()),
                Double.toString(row.busBandwidth()),
                mean(row.phases().queued()),
                mean(row.phases().matching()),
                mean(row.phases().wire()),
                mean(row.phases().fold()),
                row.payloadBytes().count() == 0 ? "" : Long.toString(row.payloadBytes().total()));
    }

    private static String mean(Known known) {
        return known.count() == 0 ? "" : Double.toString(known.mean());
    }

    /** Names are the program's, and may have anything in them. */
    private static String quoted(String text) {
        boolean isPlain = text.chars().noneMatch(each -> each == ',' || each == '"' || each == '\n' || each == '\r');
        return isPlain ? text : "\"" + text.replace("\"", "\"\"") + "\"";
    }
}

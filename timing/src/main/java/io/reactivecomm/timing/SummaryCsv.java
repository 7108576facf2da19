package io.reactivecomm.timing;

import io.reactivecomm.timing.CommsSummary.Known;
import io.reactivecomm.timing.CommsSummary.Row;
import java.util.List;

/** The summary as comma-separated values. */
final class SummaryCsv {

    private static final String END = "\r\n";

    private static final List<String> COLUMNS = List.of(
            "rank",
            "worldSize",
            "tag",
            "operation",
            "byteSize",
            "groupSize",
            "backend",
            "name",
            "callSite",
            "count",
            "failed",
            "totalNanos",
            "minNanos",
            "maxNanos",
            "averageNanos",
            "algbwGBps",
            "busbwGBps",
            "queuedMeanNanos",
            "matchingMeanNanos",
            "wireMeanNanos",
            "foldMeanNanos",
            "payloadBytes",
            "headerBytes",
            "calls");

    private SummaryCsv() {}

    static String of(CommsSummary summary) {
        StringBuilder lines = new StringBuilder(String.join(",", COLUMNS)).append(END);
        summary.rows().forEach(row -> lines.append(line(summary, row)).append(END));
        return lines.toString();
    }

    private static String line(CommsSummary summary, Row row) {
        LoggedKind kind = row.kind();
        return String.join(
                ",",
                Integer.toString(summary.rank()),
                summary.worldSize() == 0 ? "" : Integer.toString(summary.worldSize()),
                quoted(kind.tag()),
                quoted(kind.operation()),
                Long.toString(kind.byteSize()),
                Integer.toString(kind.groupSize()),
                quoted(kind.backend()),
                quoted(kind.name()),
                quoted(kind.callSite()),
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
                total(row.payloadBytes()),
                total(row.headerBytes()),
                !row.kind().isTimed() || row.isUntimed()
                        ? ""
                        : Long.toString(row.calls().total()));
    }

    private static String total(Known known) {
        return known.count() == 0 ? "" : Long.toString(known.total());
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

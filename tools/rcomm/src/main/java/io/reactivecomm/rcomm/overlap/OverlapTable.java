package io.reactivecomm.rcomm.overlap;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The command's table on the terminal: a line as each run is done, and what the numbers mean. */
final class OverlapTable {

    private static final String HEADER = "%-24s %-22s %-8s %10s %10s %10s %10s %8s %8s %8s %8s %7s%n";
    private static final String ROW = "%-24s %-22s %-8s %10.2f %10.2f %10.2f %10.2f %7.1f%% %7.1f%% %7.1f%% %8s %7d%n";

    private final PrintWriter out;

    OverlapTable(PrintWriter out) {
        this.out = out;
    }

    /** {@return where it is shown} */
    PrintWriter out() {
        return out;
    }

    /** @param title what is done, in lines */
    void begin(List<String> title) {
        title.forEach(line -> say("%s", line));
        out.printf(
                Locale.ROOT,
                HEADER,
                "links",
                "variant",
                "buckets",
                "step ms",
                "compute",
                "comm.",
                "exposed",
                "hidden",
                "(median)",
                "saved",
                "shorter",
                "errors");
        out.flush();
    }

    void add(OverlapRow row) {
        out.printf(
                Locale.ROOT,
                ROW,
                row.links(),
                row.variant(),
                row.buckets(),
                row.stepMillis(),
                row.computeMillis(),
                row.communicationMillis(),
                row.exposedMillis(),
                100 * row.hiddenShare(),
                100 * row.medianHiddenShare(),
                100 * row.savedShare(),
                isPlain(row) ? "" : String.format(Locale.ROOT, "%.1f%%", 100 * row.shorterShare()),
                row.errors());
        out.flush();
    }

    /**
     * Says what the rows mean.
     *
     * @param notes on where they come from, in lines
     */
    void end(List<OverlapRow> rows, List<String> notes) {
        OverlapRow first = rows.getFirst();
        say(
                "# Times are medians over all steps of all ranks. comm.: at least one reduction is in flight. exposed: from the end of the");
        say(
                "# backward pass until the last reduction has come. hidden: 1 - exposed / comm. after backward, over the same links: overlap makes");
        say(
                "# its own comm. longer; of average steps, and (median) of the times shown. saved: how much shorter the step is than after backward,");
        say(
                "# divided by the comm. there. shorter: how much shorter it is than with plain buckets, divided by that step. The last bucket begins");
        say("# when the backward pass ends and cannot hide; waiting for a slower rank counts.");
        notes.forEach(line -> say("%s", line));
        if (rows.stream().allMatch(row -> row.errors() == 0)) {
            say("parameters of all %d ranks are bit-equal after every run: hash %s", first.ranks(), hashes(rows));
        }
    }

    private static boolean isPlain(OverlapRow row) {
        return row.buckets().equals(Contents.PLAIN.toString());
    }

    /** {@return the hash of runs with plain buckets, and of others what it is there} */
    private static String hashes(List<OverlapRow> rows) {
        return rows.stream()
                .map(row -> row.hash() + (isPlain(row) ? "" : " (" + row.buckets() + ")"))
                .distinct()
                .collect(Collectors.joining(", "));
    }

    void say(String format, Object... values) {
        out.printf(Locale.ROOT, format + "%n", values);
        out.flush();
    }
}

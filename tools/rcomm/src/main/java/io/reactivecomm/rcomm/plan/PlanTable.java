package io.reactivecomm.rcomm.plan;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** The table for the terminal. */
final class PlanTable {

    private static final String HEADER = "  %14s  %-20s %6s %9s %15s %15s %15s %14s %15s%n";
    private static final String ROW = "%s %14d  %-20s %6d %9d %15d %15d %15d %14d %15.2f%s%n";

    private final PrintWriter out;

    PlanTable(PrintWriter out) {
        this.out = out;
    }

    void print(List<PlanRow> rows, LinkModel model) {
        PlanRow first = rows.getFirst();
        out.printf(
                Locale.ROOT,
                "# %s on %d ranks of %d hosts, %s; between hosts a step %.3g us, %.4g Gbit/s (%.4g GB/s), within one %.3g us, %.4g Gbit/s;"
                        + " a message %.3g us, pieces of %d bytes%n",
                first.op(),
                first.ranks(),
                first.hosts(),
                first.dtype(),
                model.between().latencyMicros(),
                model.between().gigabitsPerSecond(),
                model.between().gigabitsPerSecond() / Byte.SIZE,
                model.within().latencyMicros(),
                model.within().gigabitsPerSecond(),
                model.messageMicros(),
                model.pieceBytes());
        out.printf(
                Locale.ROOT,
                HEADER,
                "bytes",
                "algorithm",
                "steps",
                "transfers",
                "host bytes",
                "sent bytes",
                "received bytes",
                "scratch bytes",
                "predicted us");
        rows.forEach(this::add);
        out.println(
                "* chosen by the library's table; bytes and transfers are those of the rank that has most, host bytes what the host that has most sends to others, or receives");
        out.flush();
    }

    private void add(PlanRow row) {
        out.printf(
                Locale.ROOT,
                ROW,
                row.chosen() ? "*" : " ",
                row.bytes(),
                row.algorithm(),
                row.steps(),
                row.transfers(),
                row.hostBytes(),
                row.sentBytes(),
                row.receivedBytes(),
                row.scratchBytes(),
                row.predictedMicros(),
                row.rankOrder() ? "" : "  (reassociates: runs if asked for)");
    }
}

package io.reactivecomm.rcomm.perf;

import io.reactivecomm.samples.programs.world.Transport;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** The table of peers' times beside ours, and the one divided by the other: above 1 ours is faster. */
final class RatioTable {

    private static final String HEADER = "%-20s %12s %-9s %-8s %12s   %-16s %-9s %12s %11s%n";
    private static final String ROW = "%-20s %12d %-9s %-8s %12.2f   %-16s %-9s %12.2f %10.2fx%n";

    private final PrintWriter out;
    private final PerfOp op;
    private final List<Standing> standings;

    RatioTable(PrintWriter out, PerfOp op, List<Standing> standings) {
        this.out = out;
        this.op = op;
        this.standings = standings;
    }

    void show() {
        out.printf(
                Locale.ROOT,
                HEADER,
                "op",
                "bytes",
                "transport",
                "buffers",
                "ours us",
                "peer",
                "way",
                "peer us",
                "peer/ours");
        for (Standing standing : standings) {
            if (standing.entrant() instanceof Entrant.Ours(var setup)) {
                standing.rows().forEach(row -> showBeside(row, setup.transport()));
            }
        }
        out.flush();
    }

    private void showBeside(PerfRow ours, Transport transport) {
        for (Standing peer : standings) {
            if (peer.entrant() instanceof Entrant.Theirs theirs && theirs.isBeside(transport, op.isOfList())) {
                peer.rows().stream().filter(row -> row.bytes() == ours.bytes()).forEach(row -> show(ours, row));
            }
        }
    }

    private void show(PerfRow ours, PerfRow peer) {
        out.printf(
                Locale.ROOT,
                ROW,
                ours.op(),
                ours.bytes(),
                ours.transport(),
                ours.buffers(),
                ours.medianMicros(),
                peer.transport(),
                peer.algorithm(),
                peer.medianMicros(),
                peer.medianMicros() / ours.medianMicros());
    }
}

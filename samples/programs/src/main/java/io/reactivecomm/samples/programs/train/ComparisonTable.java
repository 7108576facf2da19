package io.reactivecomm.samples.programs.train;

import java.io.PrintWriter;
import java.util.Locale;

/** The table of a comparison on the terminal: a line as each training is done. */
final class ComparisonTable {

    private static final String HEADER = "%-26s %10s %10s %14s %8s  %s%n";
    private static final String ROW = "%-26s %10.6f %10.4f %14d %8.1f  %s%n";

    private final PrintWriter out;
    private final String transport;

    /** @param transport its name, to be shown */
    ComparisonTable(PrintWriter out, String transport) {
        this.out = out;
        this.transport = transport;
    }

    /** @param device what gradients are reduced on, to be shown; or empty */
    void begin(int images, int ranks, TrainOptions options, String device) {
        say(
                "# training a %s MLP on %d digits: %d ranks over %s, %d images a step, %d epochs; bytes that a rank sent in steps",
                Training.NAME, images, ranks, transport, options.batch(), options.epochs());
        if (!device.isEmpty()) {
            say(
                    "# device: %s; of what goes by NCCL, which counts nothing, the bytes are those of its usual algorithms",
                    device);
        }
        out.printf(Locale.ROOT, HEADER, "variant", "loss", "accuracy", "sent bytes", "fewer", "ranks");
        out.flush();
    }

    void add(ComparedRun run) {
        String ranks = run.bitEqual() ? "bit-equal" : "DIFFER";
        out.printf(Locale.ROOT, ROW, run.label(), run.loss(), run.accuracy(), run.sentBytes(), run.ratio(), ranks);
        out.flush();
    }

    void say(String format, Object... values) {
        out.printf(Locale.ROOT, format + "%n", values);
        out.flush();
    }
}

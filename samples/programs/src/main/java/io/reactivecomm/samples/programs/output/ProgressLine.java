package io.reactivecomm.samples.programs.output;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * The last line of a terminal, which says how far a command has come and what is left. Other output goes above it: it is taken away before and put back
 * after.
 *
 * <pre>
 *   [########------------]  42 %  all-reduce of 1048576 bytes  0:12, about 0:17 left
 * </pre>
 *
 * <p><b>Threads.</b> Any; this object's lock orders what is written to the terminal.
 */
final class ProgressLine {

    private static final String TAKE_AWAY = "\r\u001b[K";
    private static final int CELLS = 20;

    /** Of the narrowest terminals that are usual; a line that wraps could not be taken away. */
    private static final int MOST_LETTERS = 79;

    /** What changes faster nobody reads, and a command that measures is not to be slowed by it. */
    private static final long LEAST_NANOS = Duration.ofMillis(100).toNanos();

    private final PrintStream terminal;
    private final LongSupplier clock;
    private final long begun;
    private int part;
    private int parts = 1;
    private double fraction;
    private String doing = "";
    private boolean hasBegun;
    private boolean isDrawn;
    private boolean isBarred;
    private long drawnAt;

    ProgressLine(PrintStream terminal, LongSupplier clock) {
        this.terminal = terminal;
        this.clock = clock;
        this.begun = clock.getAsLong();
    }

    /** Takes what {@link Progress} has told, without the mark. What makes no sense is passed over: it is only progress. */
    synchronized void take(String told) {
        String[] words = told.split(" ", 4);
        try {
            switch (words[0]) {
                case Progress.PART -> {
                    part = Integer.parseInt(words[1]);
                    parts = Math.max(1, Integer.parseInt(words[2]));
                    fraction = 0;
                }
                case Progress.AT -> {
                    fraction = Math.clamp(Double.parseDouble(words[1]) / Double.parseDouble(words[2]), 0, 1);
                    doing = words.length > 3 ? words[3] : "";
                }
                default -> {
                    return;
                }
            }
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return;
        }
        hasBegun = true;
        if (!isDrawn || clock.getAsLong() - drawnAt >= LEAST_NANOS) {
            draw();
        }
    }

    /** Takes the line away, so that something else can be written. */
    synchronized void takeAway() {
        if (isDrawn) {
            terminal.print(TAKE_AWAY);
            terminal.flush();
            isDrawn = false;
        }
    }

    /** Puts the line back, if there is one. */
    synchronized void putBack() {
        if (hasBegun) {
            draw();
        }
    }

    /** Something stands in its place that has no end yet, or does no more. */
    synchronized void bar(boolean hasNoEnd) {
        isBarred = hasNoEnd;
    }

    /** Takes it away for good. */
    synchronized void end() {
        takeAway();
        hasBegun = false;
    }

    private void draw() {
        if (isBarred) {
            return;
        }
        drawnAt = clock.getAsLong();
        terminal.print(TAKE_AWAY
                + text(
                        (part + fraction) / parts,
                        parts > 1 ? "part " + (part + 1) + " of " + parts + ": " + doing : doing,
                        drawnAt - begun));
        terminal.flush();
        isDrawn = true;
    }

    /** {@return the line} What is left is known once a hundredth is done. */
    static String text(double fraction, String doing, long nanos) {
        double done = Double.isNaN(fraction) ? 0 : Math.clamp(fraction, 0, 1);
        int cells = (int) Math.round(done * CELLS);
        String bar = "[" + "#".repeat(cells) + "-".repeat(CELLS - cells) + "]";
        String left = done < 0.01 ? "" : ", about " + minutes(Math.round(nanos * (1 - done) / done)) + " left";
        String end = "  " + minutes(nanos) + left;
        String head = String.format(Locale.ROOT, "%s %3d %%  ", bar, (int) Math.floor(done * 100));
        int room = Math.max(0, MOST_LETTERS - head.length() - end.length());
        return head + (doing.length() <= room ? doing : doing.substring(0, Math.max(0, room - 1)) + "…") + end;
    }

    private static String minutes(long nanos) {
        Duration time = Duration.ofNanos(nanos);
        return time.toHours() > 0
                ? String.format(Locale.ROOT, "%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart())
                : String.format(Locale.ROOT, "%d:%02d", time.toMinutes(), time.toSecondsPart());
    }
}

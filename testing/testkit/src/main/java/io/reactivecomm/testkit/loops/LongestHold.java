package io.reactivecomm.testkit.loops;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The longest time for which a part of the program held a loop.
 *
 * @param load what was done
 * @param millis the CPU time that the loop's thread used before it came to its next task, on a machine that is not slowed down by others
 * @param text what it was seen to do meanwhile
 */
public record LongestHold(String load, double millis, String text) {

    private static final String MARK = "held: ";
    private static final String LINE_BREAK = " | ";
    private static final int FIELDS = 3;

    /** @param slowdown how many times more CPU time the same work took than usual */
    static LongestHold of(String load, @Nullable BusyPeriod longest, double slowdown) {
        return longest == null
                ? new LongestHold(load, 0, "")
                : new LongestHold(load, longest.millis() / slowdown, "on " + longest.loop() + longest.text());
    }

    /** {@return itself on one line} */
    String line() {
        return MARK + load + " " + String.format(Locale.ROOT, "%.1f", millis) + " " + text.replace("\n", LINE_BREAK);
    }

    /** {@return what such a line says, or null if it is another} */
    static @Nullable LongestHold parse(String line) {
        if (!line.startsWith(MARK)) {
            return null;
        }
        String[] fields = line.substring(MARK.length()).split(" ", FIELDS);
        return new LongestHold(fields[0], Double.parseDouble(fields[1]), fields[2].replace(LINE_BREAK, "\n"));
    }
}

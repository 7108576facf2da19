package io.reactivecomm.testkit.faults;

import java.io.PrintStream;
import java.lang.reflect.Modifier;
import java.util.regex.Pattern;

/**
 * The messages of a rank to the runner, a line each on standard output, between lines of the log.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param out where the runner reads
 */
record RunnerOutput(PrintStream out) {

    /** Tells such a line from one of the log. */
    static final String MARK = "@";

    /** The process is there and warm. */
    static final String UP = MARK + "UP";

    /** All its ranks are in the world. */
    static final String JOINED = MARK + "JOINED";

    /** The phase's calls are under way. */
    static final String READY = MARK + "READY";

    /** When the process did to itself what it was told to do. */
    static final String INJECTED = MARK + "INJECTED";

    /** When a rank was told of an error first, which rank, and the error. */
    static final String KNEW = MARK + "KNEW";

    /** When new calls were seen to end well. */
    static final String GOES = MARK + "GOES";

    /** When its groups were closed. */
    static final String CLOSED = MARK + "CLOSED";

    /** What the process holds of what its groups took. */
    static final String LEFT = MARK + "LEFT";

    private static final Pattern BLANKS = Pattern.compile("\\s+");

    void say(String what, Object... words) {
        StringBuilder line = new StringBuilder(what);
        for (Object word : words) {
            line.append(' ').append(BLANKS.matcher(String.valueOf(word)).replaceAll(" "));
        }
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }

    /** Says that a rank was told of an error. */
    void knew(long atNanos, int rank, Throwable error) {
        say(KNEW, atNanos, rank, typeOf(error), String.valueOf(error.getMessage()));
    }

    /** {@return the type by which a program can catch it} */
    private static String typeOf(Throwable error) {
        Class<?> type = error.getClass();
        while (!Modifier.isPublic(type.getModifiers()) || type.getName().contains(".internal.")) {
            type = type.getSuperclass();
        }
        return type.getSimpleName();
    }
}

package io.reactivecomm.internal.base;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Text of a program's or of another process's, such as a name or a message, made fit for a line of a log or of a terminal. */
public final class PrintableText {

    /** Control and format characters and line separators, and halves of characters: what could steer a terminal or forge a line. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]+");

    private PrintableText() {}

    /** {@return it, with a blank for each run of what is not printable} */
    public static String of(String text) {
        return UNPRINTABLE.matcher(text).replaceAll(" ");
    }

    /** {@return a text with unprintable characters escaped as in Java, such as <code>\r</code>} */
    public static String escaped(String text) {
        return UNPRINTABLE
                .matcher(text)
                .replaceAll(run -> Matcher.quoteReplacement(
                        run.group().chars().mapToObj(PrintableText::escape).collect(Collectors.joining())));
    }

    private static String escape(int unit) {
        return switch (unit) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> String.format(Locale.ROOT, "\\u%04x", unit);
        };
    }
}

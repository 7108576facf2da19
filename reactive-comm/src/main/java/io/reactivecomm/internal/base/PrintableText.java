package io.reactivecomm.internal.base;

import java.util.regex.Pattern;

/** Text of a program's or of another process's, such as a name or a message, made fit for a line of a log or of a terminal. */
public final class PrintableText {

    /** Control and format characters and line separators, and halves of characters: what could steer a terminal or forge a line. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]+");

    private PrintableText() {}

    /** {@return it, with a blank for each run of what is not printable} */
    public static String of(String text) {
        return UNPRINTABLE.matcher(text).replaceAll(" ");
    }
}

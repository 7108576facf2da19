package io.reactivecomm.internal.base;

import java.util.regex.Pattern;

/** Texts of others without what steers a terminal: control and format characters and line separators, and halves of characters. */
public final class Printable {

    private static final Pattern OTHER = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]+");

    private Printable() {}

    /** {@return the text, with a space for each run of those} */
    public static String of(String text) {
        return OTHER.matcher(text).replaceAll(" ");
    }
}

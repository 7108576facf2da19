package io.reactivecomm.internal.base;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The texts of errors that may be the program's own. Their methods are then its code too, and may throw in turn. */
public final class ErrorTexts {

    private ErrorTexts() {}

    /** {@return what an error says: nothing, perhaps; or its type's name where it throws} */
    public static String message(Throwable error) {
        String message = said(error, error::getMessage);
        return message == null ? "" : message;
    }

    /** {@return what an error says, or its type where it says nothing} */
    public static String messageOrType(Throwable error) {
        String message = message(error);
        return message.isEmpty() ? describe(error) : message;
    }

    /** {@return an error's type and what it says} */
    public static String describe(Throwable error) {
        return String.valueOf(said(error, error::toString));
    }

    private static @Nullable String said(Throwable error, Supplier<@Nullable String> words) {
        try {
            return words.get();
        } catch (Throwable thrown) {
            // The error that it is about is reported already; also a checked exception, which some languages throw
            // undeclared.
            return error.getClass().getName() + " that does not say why";
        }
    }

    /**
     * {@return an error for a logger to print: the given one, or one with its type and its stack if a text of it or of its causes cannot be read} Loggers read the
     * texts on the thread that logs, and do not catch exceptions from them.
     */
    public static Throwable printable(Throwable error) {
        try {
            error.printStackTrace(new PrintWriter(Writer.nullWriter()));
            for (Throwable each : Causes.of(error)) {
                String ignored = each.getMessage();
            }
            return error;
        } catch (Throwable thrown) {
            RuntimeException printed = new RuntimeException(describe(error));
            printed.setStackTrace(stack(error));
            return printed;
        }
    }

    private static StackTraceElement[] stack(Throwable error) {
        try {
            return error.getStackTrace();
        } catch (Throwable thrown) {
            return new StackTraceElement[0];
        }
    }
}

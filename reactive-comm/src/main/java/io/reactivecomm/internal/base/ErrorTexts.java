package io.reactivecomm.internal.base;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The words of errors that may be the program's own: what they say is its code, which may throw in turn. */
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
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            return error.getClass().getName() + " that does not say why";
        }
    }
}

package io.reactivecomm;

import io.reactivecomm.internal.base.ErrorTexts;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A communication that did not succeed. The subtypes differ by what the caller can do; the message says what failed, on which
 * rank, in which call, and what to do.
 */
public class CommException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public CommException(String message) {
        super(message);
    }

    public CommException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** {@return what an error says, or its type if it says nothing} For the texts of other errors, which would say {@code cause=null}. */
    public static String textOf(Throwable error) {
        Objects.requireNonNull(error, "error");
        return ErrorTexts.messageOrType(error);
    }

    /** {@return an error's type and what it says, or the type alone if that cannot be read} For the texts of other errors: an error may be the program's own. */
    public static String describe(Throwable error) {
        Objects.requireNonNull(error, "error");
        return ErrorTexts.describe(error);
    }
}

package io.reactivecomm.internal.base;

import org.jspecify.annotations.Nullable;

/**
 * Exceptions and errors that code of others threw: of the program, or of an engine. Some languages throw checked exceptions undeclared, so those are caught, too.
 */
public final class Thrown {

    private Thrown() {}

    /** Throws on what was thrown, if anything was. */
    public static void on(@Nullable Throwable thrown) {
        if (thrown != null) {
            throw Thrown.<RuntimeException>undeclared(thrown);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E undeclared(Throwable thrown) throws E {
        throw (E) thrown;
    }

    /** Keeps the thread interrupted, if what was thrown reports that it was: code that catches this does not wait, but other code on the thread may. */
    public static void keepInterrupt(Throwable thrown) {
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }
}

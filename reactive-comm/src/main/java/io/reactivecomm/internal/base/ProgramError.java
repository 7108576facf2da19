package io.reactivecomm.internal.base;

import reactor.core.Exceptions;

/**
 * An {@link InternalError} that the program's own code threw, with that error's text. The JVM throws that class itself where a page of mapped memory is gone, which
 * fails calls and nothing else. This subclass keeps the two apart: it is as fatal as any other error of the JVM, so on a loop it ends the world.
 */
@SuppressWarnings("serial")
public final class ProgramError extends InternalError {

    private final String text;

    private ProgramError(InternalError thrown) {
        super(ErrorTexts.message(thrown), thrown);
        this.text = ErrorTexts.describe(thrown);
    }

    /** {@return an error that the program's own code threw, and not the JVM for a lost page} */
    public static InternalError of(InternalError thrown) {
        return thrown.getClass() == InternalError.class ? new ProgramError(thrown) : thrown;
    }

    /** Throws on what the program's own code threw if it is fatal to the JVM. A thread that was interrupted stays so. */
    public static void throwIfFatal(Throwable thrown) {
        Thrown.keepInterrupt(thrown);
        if (thrown instanceof InternalError error) {
            throw of(error);
        }
        Exceptions.throwIfJvmFatal(thrown);
    }

    @Override
    public String toString() {
        return text;
    }
}

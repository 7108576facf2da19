package io.reactivecomm.internal.base;

import reactor.core.Exceptions;

/**
 * An {@link InternalError} that the program's own code threw, with that error's text. The JVM throws the same class where a page of mapped memory is gone, and that
 * fails a call; this one is as fatal as any other error of the JVM.
 */
@SuppressWarnings("serial")
public final class ProgramError extends InternalError {

    private final String text;

    private ProgramError(InternalError thrown) {
        super(ErrorTexts.message(thrown), thrown);
        this.text = ErrorTexts.describe(thrown);
    }

    /** Throws on what the program's own code threw if it is fatal to the JVM. */
    public static void throwIfFatal(Throwable thrown) {
        if (thrown.getClass() == InternalError.class) {
            throw new ProgramError((InternalError) thrown);
        }
        Exceptions.throwIfJvmFatal(thrown);
    }

    @Override
    public String toString() {
        return text;
    }
}

package io.reactivecomm.internal.base;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Exceptions;

/**
 * The closing of several things, each of which may throw: all are closed. What is fatal to the JVM is thrown on at the {@linkplain #end() end}, the
 * rest is logged, since whoever closes can do nothing about it.
 *
 * <p><b>Threads.</b> One.
 */
public final class Closings {

    private static final Logger LOG = Warnings.of(Closings.class);

    private @Nullable Throwable fatal;

    /**
     * Closes one.
     *
     * @param what names it, as {@code key=value}
     */
    public void close(String what, Runnable closing) {
        try {
            closing.run();
        } catch (Exception | Error e) {
            if (!Exceptions.isJvmFatal(e)) {
                LOG.warn("something could not be closed, and is left: {}", what, ErrorTexts.printable(e));
            } else if (fatal == null) {
                fatal = e;
            }
        }
    }

    /** Throws what was fatal, if anything was: the first of it. */
    public void end() {
        if (fatal != null) {
            Exceptions.throwIfJvmFatal(fatal);
        }
    }
}

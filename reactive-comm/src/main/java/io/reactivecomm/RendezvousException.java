package io.reactivecomm;

import io.reactivecomm.internal.base.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * The ranks could not become a world: a rank missing, claimed twice, of another world size or version, not admitted, or one on which an engine could not be
 * opened.
 */
public class RendezvousException extends CommException {

    private static final long serialVersionUID = 1L;

    /** @param message in which characters that cannot be printed, as at the end of a setting, are shown as Java writes them */
    public RendezvousException(String message) {
        super(PrintableText.escaped(message));
    }

    /** As {@link #RendezvousException(String)}, with a cause. */
    public RendezvousException(String message, @Nullable Throwable cause) {
        super(PrintableText.escaped(message), cause);
    }
}

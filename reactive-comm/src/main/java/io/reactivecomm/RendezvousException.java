package io.reactivecomm;

import org.jspecify.annotations.Nullable;

/**
 * The ranks could not become a world: a rank missing, claimed twice, of another world size or version, not admitted, or one on which an engine could not be
 * opened.
 */
public class RendezvousException extends CommException {

    private static final long serialVersionUID = 1L;

    public RendezvousException(String message) {
        super(message);
    }

    public RendezvousException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

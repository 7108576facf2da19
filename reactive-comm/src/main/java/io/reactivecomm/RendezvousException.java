package io.reactivecomm;

import org.jspecify.annotations.Nullable;

/** The ranks could not find each other: a rank missing, claimed twice, of another world size or version, or not admitted. */
public class RendezvousException extends CommException {

    private static final long serialVersionUID = 1L;

    public RendezvousException(String message) {
        super(message);
    }

    public RendezvousException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

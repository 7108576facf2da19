package io.reactivecomm.timeline;

import io.reactivecomm.CommException;
import org.jspecify.annotations.Nullable;

/** A file of a timeline that cannot be read or written, or parts that do not fit together. The message names the files. */
public final class TimelineException extends CommException {

    private static final long serialVersionUID = 1L;

    public TimelineException(String message) {
        super(message);
    }

    public TimelineException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

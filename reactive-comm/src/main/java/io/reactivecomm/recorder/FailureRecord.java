package io.reactivecomm.recorder;

import java.util.Objects;

/**
 * The reason for which a call or a group has failed.
 *
 * @param kind one of {@link #TIMEOUT} and the others
 * @param culprit the rank of the world at which it began
 * @param text the message of the exception
 */
public record FailureRecord(String kind, int culprit, String text) {

    public static final String TIMEOUT = "TIMEOUT";
    public static final String PEER_LOST = "PEER_LOST";
    public static final String MISMATCH = "MISMATCH";
    public static final String CLOSED = "CLOSED";

    public FailureRecord {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(text, "text");
    }

    /** {@return whether it is of that kind} */
    public boolean is(String other) {
        return kind.equals(other);
    }
}

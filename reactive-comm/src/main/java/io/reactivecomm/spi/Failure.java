package io.reactivecomm.spi;

import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.UnsupportedCollectiveException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The cause of a call's failure, as it travels from the first rank that failed it to all others.
 *
 * @param kind what the caller can do about it
 * @param culprit the world rank at which it began; the lost rank for {@link Kind#PEER_LOST}
 * @param text the message of the exception
 * @param missing for {@link Kind#TIMEOUT} the world ranks that had not issued the call
 * @param cause the underlying error, or null; it is not sent to other processes
 */
public record Failure(
        Kind kind,
        int culprit,
        String text,
        List<Integer> missing,
        @Nullable Throwable cause) {

    /** The kinds, each an exception type; the order is the code on the wire. */
    public enum Kind {
        TIMEOUT,
        PEER_LOST,
        MISMATCH,
        UNSUPPORTED,
        INVALID,
        CLOSED,
        /** A fault of the library or of a transport. */
        INTERNAL
    }

    /** An engine that says nothing of why is no reason for a call to have no end. */
    public Failure {
        kind = Objects.requireNonNullElse(kind, Kind.INTERNAL);
        text = Objects.requireNonNullElse(text, "no reason was given; look at the engine's own output");
        missing = List.copyOf(missing);
    }

    public Failure(Kind kind, int culprit, String text, List<Integer> missing) {
        this(kind, culprit, text, missing, null);
    }

    public Failure(Kind kind, int culprit, String text) {
        this(kind, culprit, text, List.of());
    }

    /** {@return what an exception of this rank's says, for the others} */
    public static Failure of(CommException error, int rank) {
        String text = CommException.textOf(error);
        int culprit = error instanceof PeerLostException lost ? lost.rank() : rank;
        return new Failure(
                kindOf(error),
                culprit,
                text,
                error instanceof CommTimeoutException timeout ? timeout.missing() : List.of());
    }

    private static Kind kindOf(CommException error) {
        return switch (error) {
            case CommTimeoutException ignored -> Kind.TIMEOUT;
            case PeerLostException ignored -> Kind.PEER_LOST;
            case MismatchException ignored -> Kind.MISMATCH;
            case UnsupportedCollectiveException ignored -> Kind.UNSUPPORTED;
            case InvalidCallException ignored -> Kind.INVALID;
            case GroupClosedException ignored -> Kind.CLOSED;
            default -> Kind.INTERNAL;
        };
    }

    public Failure withText(String other) {
        return new Failure(kind, culprit, other, missing, cause);
    }

    public Failure withCause(Throwable error) {
        return new Failure(kind, culprit, text, missing, error);
    }

    /** {@return a new exception that says this, with its cause if this rank has it} */
    public CommException toException() {
        CommException exception = bare();
        if (cause != null) {
            exception.initCause(cause);
        }
        return exception;
    }

    private CommException bare() {
        return switch (kind) {
            case TIMEOUT -> new CommTimeoutException(text, missing);
            case PEER_LOST -> new PeerLostException(text, culprit);
            case MISMATCH -> new MismatchException(text);
            case UNSUPPORTED -> new UnsupportedCollectiveException(text);
            case INVALID -> new InvalidCallException(text);
            case CLOSED -> new GroupClosedException(text);
            case INTERNAL -> new CommException(text);
        };
    }
}

package io.reactivecomm.spi;

/**
 * Bytes from a peer that break the protocol: it is of another version, or not one of us. The link to it ends.
 *
 * <p>The message says what is wrong and the facts as {@code key=value}; the remedy is added by the error that a program sees.
 */
public final class ProtocolException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ProtocolException(String message) {
        super(message);
    }
}

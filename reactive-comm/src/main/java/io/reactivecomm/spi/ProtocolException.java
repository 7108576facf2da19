package io.reactivecomm.spi;

/** Bytes from a peer that break the protocol: it is of another version, or not one of us. The link to it ends. */
public final class ProtocolException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ProtocolException(String message) {
        super(message);
    }
}

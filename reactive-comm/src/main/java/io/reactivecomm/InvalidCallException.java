package io.reactivecomm;

/**
 * A rank's own arguments were wrong, such as a negative root or a closed tensor: correct the call on that rank. Peers whose call is unfinished get
 * the same error, naming it.
 */
public class InvalidCallException extends CommException {

    private static final long serialVersionUID = 1L;

    public InvalidCallException(String message) {
        super(message);
    }

    public InvalidCallException(String message, Throwable cause) {
        super(message, cause);
    }
}

package io.reactivecomm;

/** The engine cannot do this call, such as a SUM of booleans: change the call or choose another engine. */
public class UnsupportedCollectiveException extends CommException {

    private static final long serialVersionUID = 1L;

    public UnsupportedCollectiveException(String message) {
        super(message);
    }

    public UnsupportedCollectiveException(String message, Throwable cause) {
        super(message, cause);
    }
}

package io.reactivecomm;

/** Ranks issued different calls under one identity; the message lists who called what. Correct the program. */
public class MismatchException extends CommException {

    private static final long serialVersionUID = 1L;

    public MismatchException(String message) {
        super(message);
    }
}

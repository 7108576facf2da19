package io.reactivecomm;

/**
 * Ranks issued different calls under one identity; the message lists who called what. Correct the program.
 *
 * <p>Every rank whose call is unfinished gets it; a rank that has finished keeps its result.
 */
public class MismatchException extends CommException {

    private static final long serialVersionUID = 1L;

    public MismatchException(String message) {
        super(message);
    }
}

package io.reactivecomm.mpi;

import io.reactivecomm.CommException;

/** A function of MPI has failed. */
final class MpiException extends CommException {

    private static final long serialVersionUID = 1L;

    /** @param text what the library says of the code */
    MpiException(String function, int code, String text) {
        super("a function of MPI failed: function=" + function + ", code=" + code + ", text=" + text);
    }
}

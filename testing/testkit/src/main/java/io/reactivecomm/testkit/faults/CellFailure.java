package io.reactivecomm.testkit.faults;

/** An end of a cell that is not the expected one. */
final class CellFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    CellFailure(String message) {
        super(message);
    }
}

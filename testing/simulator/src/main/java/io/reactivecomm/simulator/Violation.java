package io.reactivecomm.simulator;

/** A deed of a schedule that the contracts forbid. */
final class Violation extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Violation(String what) {
        super(what);
    }
}

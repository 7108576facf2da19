package io.reactivecomm.nccl.check;

/** The end of a check whose needs are not on this machine; the message says which in one line. */
final class SkippedCheck extends Exception {

    private static final long serialVersionUID = 1L;

    SkippedCheck(String message) {
        super(message);
    }
}

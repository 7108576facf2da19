package io.reactivecomm.rcomm.gpu.check;

/** The end of a check whose needs are not on this machine; the message says which in one line. */
public final class SkippedCheck extends Exception {

    private static final long serialVersionUID = 1L;

    /** @param message what is not there, such as {@code no CUDA driver} */
    public SkippedCheck(String message) {
        super(message);
    }
}

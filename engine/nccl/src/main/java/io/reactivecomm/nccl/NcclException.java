package io.reactivecomm.nccl;

import io.reactivecomm.CommException;

/** A function of NCCL has failed, or a communicator has. */
final class NcclException extends CommException {

    private static final long serialVersionUID = 1L;

    private final NcclResult result;

    /**
     * @param number the library's number of the result
     * @param text what the library says of it
     * @param lastError the last error that the library has met; empty if it has none, or cannot say
     */
    NcclException(String function, NcclResult result, int number, String text, String lastError) {
        super("a function of NCCL failed: function=" + function + ", result=" + result + " (" + number + "), text="
                + text + (lastError.isEmpty() ? "" : ", lastError=" + lastError));
        this.result = result;
    }

    /** {@return what has happened, for those who choose by it} */
    NcclResult result() {
        return result;
    }
}

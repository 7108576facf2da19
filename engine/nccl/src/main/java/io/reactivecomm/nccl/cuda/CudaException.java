package io.reactivecomm.nccl.cuda;

import io.reactivecomm.CommException;

/**
 * A function of the CUDA driver has failed. After a sticky error, such as an illegal address, nothing works on that device in this process:
 * restart it.
 */
public class CudaException extends CommException {

    private static final long serialVersionUID = 1L;

    private final int code;

    CudaException(String message, int code) {
        super(message);
        this.code = code;
    }

    /** {@return the CUresult} */
    public int code() {
        return code;
    }
}

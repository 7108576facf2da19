package io.reactivecomm.nccl.cuda;

import java.util.function.IntSupplier;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/** The results of the driver's functions, each of which is looked at. */
final class CudaResult {

    private CudaResult() {}

    /** @throws CudaException if it is not success */
    static void check(String function, int code) {
        if (code != CUresult.CUDA_SUCCESS) {
            throw error(function, code);
        }
    }

    /** {@return the result of a question whose answer may be no} A program may have had JCuda throw what is not success, in the whole JVM. */
    static int of(IntSupplier question) {
        try {
            return question.getAsInt();
        } catch (jcuda.CudaException e) {
            if (CUresult.stringFor(CUresult.CUDA_ERROR_NOT_READY).equals(e.getMessage())) {
                return CUresult.CUDA_ERROR_NOT_READY;
            }
            throw e;
        }
    }

    static CudaException error(String function, int code) {
        return new CudaException(
                "a function of CUDA failed: function=" + function + ", " + describe(code) + "; " + remedy(code), code);
    }

    /** {@return number, name and text of a result} */
    static String describe(int code) {
        String[] name = new String[1];
        String[] text = new String[1];
        boolean isKnown = JCudaDriver.cuGetErrorName(code, name) == CUresult.CUDA_SUCCESS
                && JCudaDriver.cuGetErrorString(code, text) == CUresult.CUDA_SUCCESS;
        return "error=" + (isKnown ? name[0] + " (" + text[0] + ")" : "unknown") + ", code=" + code;
    }

    private static String remedy(int code) {
        return switch (code) {
            case CUresult.CUDA_ERROR_OUT_OF_MEMORY -> "close tensors that are no longer needed, or use smaller ones";
            case CUresult.CUDA_ERROR_INVALID_VALUE,
                    CUresult.CUDA_ERROR_INVALID_HANDLE,
                    CUresult.CUDA_ERROR_INVALID_CONTEXT ->
                "look at the pointers and streams that were given, and whether they are freed";
            case CUresult.CUDA_ERROR_INVALID_PTX,
                    CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                    CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU,
                    CUresult.CUDA_ERROR_NOT_FOUND ->
                "look at the kernel's text, for which GPU and driver it is, and at the name of its function";
            default ->
                "what went wrong on the device came before; run the program with CUDA_LAUNCH_BLOCKING=1 to find it, and start it anew";
        };
    }
}

package io.reactivecomm.rcomm.gpu.check;

import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** The results of the driver's functions that checks call themselves. */
final class CudaCall {

    private CudaCall() {}

    /** @throws IllegalStateException if it is not success */
    static void check(String function, int code) {
        if (code != CUresult.CUDA_SUCCESS) {
            throw new IllegalStateException(
                    "a function of CUDA failed: function=" + function + ", error=" + CUresult.stringFor(code));
        }
    }

    static void synchronize(CUstream stream) {
        check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream));
    }
}

package io.reactivecomm.nccl.cuda;

import jcuda.driver.CUcontext;
import jcuda.driver.JCudaDriver;

/**
 * A time in which a context is current on a thread that is none of CUDA's; the thread's own one is back afterwards. The thread does not wait
 * meanwhile.
 */
final class CurrentContext implements AutoCloseable {

    private CurrentContext() {}

    static CurrentContext of(CUcontext context) {
        CudaResult.check("cuCtxPushCurrent", JCudaDriver.cuCtxPushCurrent(context));
        return new CurrentContext();
    }

    @Override
    public void close() {
        CudaResult.check("cuCtxPopCurrent", JCudaDriver.cuCtxPopCurrent(new CUcontext()));
    }
}

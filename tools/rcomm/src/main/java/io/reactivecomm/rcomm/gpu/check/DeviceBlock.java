package io.reactivecomm.rcomm.gpu.check;

import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;

/**
 * A block of device memory, whose address is known as a number.
 *
 * <p><b>Threads.</b> The device's own.
 */
final class DeviceBlock extends CUdeviceptr implements AutoCloseable {

    private final int byteSize;

    DeviceBlock(int byteSize) {
        this.byteSize = byteSize;
        CudaCall.check("cuMemAlloc", JCudaDriver.cuMemAlloc(this, byteSize));
    }

    long address() {
        return getNativePointer() + getByteOffset();
    }

    /** {@return as many words of 32 bits as it has room for} */
    int[] read() {
        int[] words = new int[byteSize / Integer.BYTES];
        CudaCall.check("cuMemcpyDtoH", JCudaDriver.cuMemcpyDtoH(Pointer.to(words), this, byteSize));
        return words;
    }

    /** The words are there for all streams when it returns, which the copy alone does not promise. */
    void write(int[] words) {
        CudaCall.check("cuMemcpyHtoD", JCudaDriver.cuMemcpyHtoD(this, Pointer.to(words), byteSize));
        CudaCall.check("cuCtxSynchronize", JCudaDriver.cuCtxSynchronize());
    }

    @Override
    public void close() {
        CudaCall.check("cuMemFree", JCudaDriver.cuMemFree(this));
    }
}

package io.reactivecomm.rcomm.gpu.check;

import java.nio.ByteBuffer;
import jcuda.Pointer;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * A copy from pinned memory of the host to the device and one back, into other pinned memory.
 *
 * <p><b>Threads.</b> The device's own.
 */
final class RoundTrip implements AutoCloseable {

    private final int byteSize;
    private final Pointer from;
    private final Pointer back;
    private final DeviceBlock there;

    RoundTrip(int byteSize) {
        this.byteSize = byteSize;
        from = pinned(byteSize);
        back = pinned(byteSize);
        there = new DeviceBlock(byteSize);
        ByteBuffer bytes = bytes(from);
        for (int i = 0; i < byteSize; i++) {
            bytes.put(i, (byte) (i * 31 + (i >> Byte.SIZE)));
        }
    }

    private static Pointer pinned(int byteSize) {
        Pointer pointer = new Pointer();
        CudaCall.check("cuMemHostAlloc", JCudaDriver.cuMemHostAlloc(pointer, byteSize, 0));
        return pointer;
    }

    private ByteBuffer bytes(Pointer pinned) {
        return pinned.getByteBuffer(0, byteSize);
    }

    void enqueue(CUstream stream) {
        CudaCall.check("cuMemcpyHtoDAsync", JCudaDriver.cuMemcpyHtoDAsync(there, from, byteSize, stream));
        CudaCall.check("cuMemcpyDtoHAsync", JCudaDriver.cuMemcpyDtoHAsync(back, there, byteSize, stream));
    }

    /** @throws IllegalStateException if other bytes have come back */
    void verify() {
        int differs = bytes(back).mismatch(bytes(from));
        if (differs >= 0) {
            throw new IllegalStateException("a copy to the device and back is not what was sent: byte=" + differs);
        }
    }

    @Override
    public void close() {
        there.close();
        CudaCall.check("cuMemFreeHost", JCudaDriver.cuMemFreeHost(back));
        CudaCall.check("cuMemFreeHost", JCudaDriver.cuMemFreeHost(from));
    }
}

package io.reactivecomm.nccl.cuda;

import java.lang.foreign.MemorySegment;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;

/** Memory of the host that devices reach, and that is never paged out. A context is current where it is allocated and freed. */
final class PinnedMemory {

    private PinnedMemory() {}

    /** {@return so many zeroed bytes} */
    static Pointer allocate(long byteSize) {
        Pointer pointer = new Pointer();
        int flags = JCudaDriver.CU_MEMHOSTALLOC_PORTABLE | JCudaDriver.CU_MEMHOSTALLOC_DEVICEMAP;
        CudaResult.check("cuMemHostAlloc", JCudaDriver.cuMemHostAlloc(pointer, byteSize, flags));
        segment(pointer, byteSize).fill((byte) 0);
        return pointer;
    }

    /** {@return the bytes, which are there until they are freed} */
    static MemorySegment segment(Pointer pointer, long byteSize) {
        return MemorySegment.ofAddress(RawHandle.address(pointer)).reinterpret(byteSize);
    }

    static long onDevice(Pointer pointer) {
        CUdeviceptr there = new CUdeviceptr();
        CudaResult.check("cuMemHostGetDevicePointer", JCudaDriver.cuMemHostGetDevicePointer(there, pointer, 0));
        return RawHandle.address(there);
    }

    /** Errors are a broken device's, whose memory goes with the process. */
    static void free(Pointer pointer) {
        JCudaDriver.cuMemFreeHost(pointer);
    }
}

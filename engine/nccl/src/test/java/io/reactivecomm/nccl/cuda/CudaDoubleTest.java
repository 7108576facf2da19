package io.reactivecomm.nccl.cuda;

import static jcuda.driver.CUresult.CUDA_ERROR_INVALID_CONTEXT;
import static jcuda.driver.CUresult.CUDA_ERROR_INVALID_HANDLE;
import static jcuda.driver.CUresult.CUDA_ERROR_INVALID_VALUE;
import static jcuda.driver.CUresult.CUDA_ERROR_NOT_SUPPORTED;
import static jcuda.driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
import static jcuda.driver.CUresult.CUDA_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.testkit.NeedsGcc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUgraph;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The double of the driver itself: each wrong use of CUDA is a fault there. */
@ExtendWith(NeedsGcc.class)
class CudaDoubleTest {

    private final CudaDouble cuda = CudaDouble.JVM;
    private final CUcontext[] contexts = {new CUcontext(), new CUcontext()};
    private final CUdevice[] devices = {new CUdevice(), new CUdevice()};
    private final CUstream stream = new CUstream();
    private final CUdeviceptr memory = new CUdeviceptr();
    private final Pointer pinned = new Pointer();

    @BeforeEach
    void begin() {
        CudaDriver.load();
        cuda.forgetFaults();
        for (int i = 0; i < 2; i++) {
            JCudaDriver.cuDeviceGet(devices[i], i);
            assertThat(JCudaDriver.cuDevicePrimaryCtxRetain(contexts[i], devices[i]))
                    .isEqualTo(CUDA_SUCCESS);
        }
        here();
        assertThat(JCudaDriver.cuStreamCreate(stream, 1)).isEqualTo(CUDA_SUCCESS);
        assertThat(JCudaDriver.cuMemAlloc(memory, 1_000)).isEqualTo(CUDA_SUCCESS);
        assertThat(JCudaDriver.cuMemHostAlloc(pinned, 1_000, 0)).isEqualTo(CUDA_SUCCESS);
    }

    @AfterEach
    void end() {
        JCudaDriver.cuCtxSetCurrent(contexts[0]);
        JCudaDriver.cuMemFree(memory);
        JCudaDriver.cuMemFreeHost(pinned);
        JCudaDriver.cuStreamDestroy(stream);
        for (CUdevice device : devices) {
            JCudaDriver.cuDevicePrimaryCtxRelease(device);
        }
        JCudaDriver.cuCtxSetCurrent(new CUcontext());
        cuda.forgetFaults();
    }

    /** Each method may have a thread of its own. */
    private void here() {
        assertThat(JCudaDriver.cuCtxSetCurrent(contexts[0])).isEqualTo(CUDA_SUCCESS);
    }

    private void requireFault(String text) {
        assertThat(cuda.faults()).anyMatch(each -> each.contains(text));
        cuda.forgetFaults();
    }

    private CUdeviceptr at(long offset) {
        return memory.withByteOffset(offset);
    }

    @Test
    void goodUse_isNoFault() {
        here();
        byte[] given = {1, 2, 3, 4};
        byte[] back = new byte[4];
        assertThat(JCudaDriver.cuMemcpyHtoD(at(10), Pointer.to(given), 4)).isEqualTo(CUDA_SUCCESS);
        assertThat(JCudaDriver.cuMemcpyDtoDAsync(at(100), at(10), 4, stream)).isEqualTo(CUDA_SUCCESS);
        assertThat(JCudaDriver.cuStreamSynchronize(stream)).isEqualTo(CUDA_SUCCESS);
        assertThat(JCudaDriver.cuMemcpyDtoH(Pointer.to(back), at(100), 4)).isEqualTo(CUDA_SUCCESS);
        assertThat(back).isEqualTo(given);
        MemorySegment there = cuda.map(RawHandle.address(at(100)), 4);
        assertThat(there.get(ValueLayout.JAVA_BYTE, 3)).isEqualTo((byte) 4);
        assertThat(cuda.contextDevice()).isZero();
        assertThat(cuda.faults()).isEmpty();
        assertThat(JCudaDriver.cuCtxSetLimit(0, 0)).isEqualTo(CUDA_ERROR_NOT_SUPPORTED);
    }

    @Test
    void copyBeyondAnAllocation_isAFault() {
        here();
        assertThat(JCudaDriver.cuMemcpyDtoDAsync(at(990), at(0), 11, stream)).isEqualTo(CUDA_ERROR_INVALID_VALUE);
        requireFault("out of bounds");
        assertThat(JCudaDriver.cuMemcpyHtoDAsync(at(0), pinned, 1_001, stream)).isEqualTo(CUDA_ERROR_INVALID_VALUE);
        requireFault("out of bounds");
        assertThat(cuda.map(RawHandle.address(at(999)), 2)).isEqualTo(MemorySegment.NULL);
        assertThat(cuda.faults()).isEmpty();
    }

    @Test
    void useAfterFree_isAFault_inTheStreamToo() {
        here();
        CUdeviceptr gone = new CUdeviceptr();
        cuda.hold(0, true);
        JCudaDriver.cuMemAllocAsync(gone, 8, stream);
        CUstream other = new CUstream();
        JCudaDriver.cuStreamCreate(other, 1);
        // No event orders the other stream behind the allocation.
        JCudaDriver.cuMemsetD8Async(gone, (byte) 0, 8, other);
        JCudaDriver.cuMemFreeAsync(gone, stream);
        cuda.hold(0, false);
        JCudaDriver.cuCtxSynchronize();
        assertThat(JCudaDriver.cuMemsetD8Async(gone, (byte) 0, 8, stream)).isEqualTo(CUDA_ERROR_INVALID_VALUE);
        requireFault("not live");
        assertThat(JCudaDriver.cuMemFree(gone)).isEqualTo(CUDA_ERROR_INVALID_VALUE);
        requireFault("freed before");
        JCudaDriver.cuStreamDestroy(other);
        assertThat(JCudaDriver.cuStreamDestroy(other)).isEqualTo(CUDA_ERROR_INVALID_HANDLE);
        requireFault("destroyed before");
    }

    @Test
    void streamThatRunsAheadOfAnAllocation_isAFault() {
        here();
        CUdeviceptr fresh = new CUdeviceptr();
        CUstream other = new CUstream();
        JCudaDriver.cuStreamCreate(other, 1);
        cuda.hold(1, true);
        JCudaDriver.cuCtxSetCurrent(contexts[1]);
        CUstream held = new CUstream();
        CUevent gate = new CUevent();
        JCudaDriver.cuStreamCreate(held, 1);
        JCudaDriver.cuEventCreate(gate, 2);
        JCudaDriver.cuEventRecord(gate, held);
        JCudaDriver.cuCtxSetCurrent(contexts[0]);
        JCudaDriver.cuStreamWaitEvent(stream, gate, 0);
        JCudaDriver.cuMemAllocAsync(fresh, 8, stream);
        JCudaDriver.cuMemsetD8Async(fresh, (byte) 0, 8, other);
        JCudaDriver.cuStreamSynchronize(other);
        requireFault("not live");
        cuda.hold(1, false);
        JCudaDriver.cuMemFreeAsync(fresh, stream);
        JCudaDriver.cuCtxSynchronize();
        JCudaDriver.cuEventDestroy(gate);
        JCudaDriver.cuStreamDestroy(other);
        JCudaDriver.cuStreamDestroy(held);
    }

    @Test
    void wrongContextOrNone_isAFault() {
        here();
        JCudaDriver.cuCtxSetCurrent(contexts[1]);
        assertThat(JCudaDriver.cuMemsetD8Async(at(0), (byte) 0, 8, stream)).isEqualTo(CUDA_ERROR_INVALID_HANDLE);
        requireFault("the context of device 1 is current");
        JCudaDriver.cuCtxSetCurrent(new CUcontext());
        assertThat(JCudaDriver.cuMemAlloc(new CUdeviceptr(), 8)).isEqualTo(CUDA_ERROR_INVALID_CONTEXT);
        requireFault("without a context");
    }

    @Test
    void asynchronousCopyOfMemoryThatIsNotPinned_isAFault() {
        here();
        try (Arena arena = Arena.ofConfined()) {
            Pointer pageable = new NativePointer(arena.allocate(8).address());
            assertThat(JCudaDriver.cuMemcpyHtoDAsync(at(0), pageable, 8, stream))
                    .isEqualTo(CUDA_ERROR_INVALID_VALUE);
        }
        requireFault("not pinned");
    }

    @Test
    void workOnAStreamThatCaptures_isAFault() {
        here();
        JCudaDriver.cuStreamBeginCapture(stream, 0);
        assertThat(JCudaDriver.cuMemsetD8Async(at(0), (byte) 0, 8, stream))
                .isEqualTo(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        JCudaDriver.cuStreamEndCapture(stream, new CUgraph());
        requireFault("captures a graph");
    }

    @Test
    void contextThatIsGivenBackWithSomethingInIt_isAFault() {
        here();
        JCudaDriver.cuCtxSetCurrent(contexts[1]);
        CUdeviceptr left = new CUdeviceptr();
        JCudaDriver.cuMemAlloc(left, 24);
        JCudaDriver.cuDevicePrimaryCtxRelease(devices[1]);
        requireFault("24 bytes in it: device=1");
        JCudaDriver.cuDevicePrimaryCtxRetain(contexts[1], devices[1]);
        JCudaDriver.cuMemFree(left);
    }
}

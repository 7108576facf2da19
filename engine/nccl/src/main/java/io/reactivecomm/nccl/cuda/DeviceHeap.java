package io.reactivecomm.nccl.cuda;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import java.util.List;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of one device, for one tensor: allocated and freed in the order of its stream of moves where the device has pools, so that neither waits for the
 * device, and what is freed is there for the next; or allocated by another.
 *
 * <p><b>Threads.</b> Any.
 */
final class DeviceHeap {

    private static final Logger LOG = LoggerFactory.getLogger(DeviceHeap.class);

    private final CudaDevice device;
    private final @Nullable DeviceAllocator allocator;

    /** @param allocator allocates in the driver's place; null if the driver does */
    DeviceHeap(CudaDevice device, @Nullable DeviceAllocator allocator) {
        this.device = device;
        this.allocator = allocator;
    }

    /** {@return whether it is allocated and freed in the order of the stream} */
    private boolean isInOrder() {
        return allocator == null && device.hasPools();
    }

    private CUstream stream() {
        return device.copyStream().stream().raw();
    }

    /**
     * {@return the address of so many zeroed bytes}
     *
     * @throws OutOfMemoryError if there are not so many
     */
    long allocate(long byteSize) {
        if (!device.use()) {
            throw new InvalidCallException(
                    "a CUDA device is closed: index=" + device.index() + "; allocate before its group closes");
        }
        boolean isThere = false;
        try (CurrentContext current = CurrentContext.of(device.context())) {
            // A device gives nothing for no bytes, and a tensor of none has an address.
            long bytes = Math.max(byteSize, 1);
            long raw = take(bytes);
            CudaHandle zeroed = zeroed(new DeviceAddress(raw), bytes);
            CudaBlocks.JVM.add(raw, bytes);
            CudaBlocks.JVM.addLast(raw, zeroed);
            isThere = true;
            return raw;
        } finally {
            if (!isThere) {
                device.release();
            }
        }
    }

    private long take(long bytes) {
        if (allocator != null) {
            return allocator.allocate(bytes);
        }
        CUdeviceptr address = new CUdeviceptr();
        check(
                bytes,
                isInOrder()
                        ? JCudaDriver.cuMemAllocAsync(address, bytes, stream())
                        : JCudaDriver.cuMemAlloc(address, bytes));
        return RawHandle.address(address);
    }

    private void check(long bytes, int code) {
        if (code == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
            throw new OutOfMemoryError("a CUDA device has not so much memory left: device=" + device.index()
                    + ", bytes=" + bytes + "; close tensors that are no longer needed, or use smaller ones");
        }
        CudaResult.check(isInOrder() ? "cuMemAllocAsync" : "cuMemAlloc", code);
    }

    /** {@return the end of the zeroing, for other streams} What cannot be zeroed is freed. */
    private CudaHandle zeroed(DeviceAddress address, long bytes) {
        try {
            CudaResult.check("cuMemsetD8Async", JCudaDriver.cuMemsetD8Async(address, (byte) 0, bytes, stream()));
            CUevent event = device.events().take();
            CudaHandle zeroed = CudaHandle.recorded(event, device.events()::give);
            try {
                CudaResult.check("cuEventRecord", JCudaDriver.cuEventRecord(event, stream()));
            } catch (CudaException e) {
                zeroed.unfollowed();
                throw e;
            }
            return zeroed;
        } catch (CudaException e) {
            if (isInOrder()) {
                JCudaDriver.cuMemFreeAsync(address, stream());
            } else {
                freeAtOnce(address);
            }
            throw e;
        }
    }

    /** Frees it behind what stands last on it. */
    void free(long address) {
        List<CudaHandle> last = CudaBlocks.JVM.remove(address);
        CudaHandle freeing = new CudaHandle();
        freeing.standBehind(last);
        if (isInOrder() && last.stream().allMatch(CudaHandle::isEnqueued)) {
            try (CurrentContext current = CurrentContext.of(device.context())) {
                freeNow(freeing, address);
            }
        } else {
            // Out of order a free waits for the device.
            freeing.whenTurn(device.copies(), () -> freeNow(freeing, address));
        }
    }

    private void freeAtOnce(DeviceAddress address) {
        if (allocator == null) {
            CudaResult.check("cuMemFree", JCudaDriver.cuMemFree(address));
        } else {
            allocator.free(RawHandle.address(address));
        }
    }

    private void freeNow(CudaHandle freeing, long address) {
        DeviceAddress freed = new DeviceAddress(address);
        try {
            freeing.follow(device.copyStream().stream());
            if (isInOrder()) {
                CudaResult.check("cuMemFreeAsync", JCudaDriver.cuMemFreeAsync(freed, stream()));
            } else {
                CudaResult.check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream()));
                freeAtOnce(freed);
            }
        } catch (CudaException e) {
            LOG.debug(
                    "memory of a CUDA device that has failed goes with the process: device={}, cause={}",
                    device.index(),
                    CommException.textOf(e));
        } finally {
            device.release();
        }
    }
}

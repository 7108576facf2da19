package io.reactivecomm.nccl.cuda;

import io.reactivecomm.InvalidCallException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * A device as one rank uses it: its primary context, a thread that launches calls and one that moves elements, so that no call waits for the host to
 * copy.
 *
 * <p><b>End.</b> The threads end and the context is given back once it is closed and nothing is left: no tensor in its memory, and no moves.
 *
 * <p><b>Threads.</b> Any.
 */
public final class CudaDevice implements AutoCloseable {

    private final int index;
    private final CUdevice raw = new CUdevice();
    private final CUcontext context = new CUcontext();
    private final boolean writesWords;
    private final boolean hasPools;
    private final EventPool events = new EventPool();
    /** One for who has opened it, one for each tensor and list of moves. */
    private final AtomicInteger uses = new AtomicInteger(1);

    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final CudaWorker launches;
    private final CudaWorker copies;
    private final CopyStream copyStream;
    private final KernelModules kernels = new KernelModules();
    private volatile @Nullable DeviceAllocator allocator;

    private CudaDevice(int index, String owner, int blockBytes) {
        this.index = index;
        CudaResult.check("cuDeviceGet", JCudaDriver.cuDeviceGet(raw, index));
        // The second is what drivers before 12 say.
        this.writesWords = has(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS)
                || has(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1);
        this.hasPools = has(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
        CudaResult.check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, raw));
        List<CudaWorker> started = new ArrayList<>();
        try {
            this.launches = started(started, "launch-" + owner);
            this.copies = started(started, "copy-" + owner);
            this.copyStream = copies.call(() -> new CopyStream(copies, blockBytes));
        } catch (CudaException e) {
            started.forEach(CudaWorker::end);
            started.forEach(worker -> worker.ended().join());
            JCudaDriver.cuDevicePrimaryCtxRelease(raw);
            throw e;
        }
        launches.execute(() -> launches.atEnd(this::giveBack));
        copies.execute(() -> copies.atEnd(this::endCopies));
    }

    private CudaWorker started(List<CudaWorker> started, String name) {
        CudaWorker worker = CudaWorker.start(this, "cuda-" + index + "-" + name);
        started.add(worker);
        return worker;
    }

    /**
     * Opens a device. It waits for the context, which takes a GPU some tenths of a second: not for a loop.
     *
     * @param owner who uses it, for the names of threads
     * @throws InvalidCallException if there is no such device
     * @throws io.reactivecomm.UnsupportedCollectiveException if there is no driver
     * @throws CudaException if it cannot be used
     */
    public static CudaDevice open(int index, String owner) {
        return open(index, owner, CopyStream.BLOCK_BYTES);
    }

    /** @param blockBytes what a piece of a move by way of the host takes at most */
    static CudaDevice open(int index, String owner, int blockBytes) {
        int devices = CudaDriver.load().devices();
        if (index < 0 || index >= devices) {
            throw new InvalidCallException("there is no such CUDA device: index=" + index + ", devices=" + devices
                    + "; ask for another index, or look at CUDA_VISIBLE_DEVICES and RCOMM_CUDA_DEVICE");
        }
        return new CudaDevice(index, owner, blockBytes);
    }

    private boolean has(int attribute) {
        int[] value = new int[1];
        CudaResult.check("cuDeviceGetAttribute", JCudaDriver.cuDeviceGetAttribute(value, attribute, raw));
        return value[0] != 0;
    }

    /** {@return its ordinal in this process} */
    public int index() {
        return index;
    }

    /** {@return the thread that launches calls} */
    public CudaWorker launches() {
        return launches;
    }

    CudaWorker copies() {
        return copies;
    }

    /** Does something that may block on a thread of its own, with the device's context; the device does not end before. */
    public void aside(String name, Runnable task) {
        if (!use()) {
            throw new InvalidCallException("a CUDA device is closed: index=" + index + ", task=" + name);
        }
        Thread.ofPlatform().daemon().name("cuda-" + index + "-" + name).start(() -> {
            try (CurrentContext current = CurrentContext.of(context)) {
                task.run();
            } finally {
                release();
            }
        });
    }

    /** Has tensors allocated by that which it takes, from here on. */
    public void allocateBy(DeviceAllocator other) {
        allocator = other;
    }

    /** {@return what allocates so many bytes in the driver's place; null if nothing does} */
    @Nullable DeviceAllocator allocator(long bytes) {
        DeviceAllocator other = allocator;
        return other != null && other.takes(bytes) ? other : null;
    }

    CopyStream copyStream() {
        return copyStream;
    }

    KernelModules kernels() {
        return kernels;
    }

    CUdevice raw() {
        return raw;
    }

    CUcontext context() {
        return context;
    }

    EventPool events() {
        return events;
    }

    boolean writesWords() {
        return writesWords;
    }

    boolean hasPools() {
        return hasPools;
    }

    /** {@return false if it has ended} Else it does not before as many {@link #release}. */
    boolean use() {
        return uses.getAndUpdate(each -> each == 0 ? 0 : each + 1) > 0;
    }

    void release() {
        if (uses.decrementAndGet() == 0) {
            copies.end();
        }
    }

    private void endCopies() {
        copyStream.close();
        kernels.close();
        launches.end();
    }

    private void giveBack() {
        events.close();
        JCudaDriver.cuDevicePrimaryCtxRelease(raw);
    }

    /** {@return what completes when its threads have ended and its context is given back} */
    public CompletableFuture<Void> ended() {
        return CompletableFuture.allOf(launches.ended(), copies.ended());
    }

    /** Ends it, as soon as nothing is left. Idempotent. */
    @Override
    public void close() {
        if (!isClosed.getAndSet(true)) {
            release();
        }
    }
}

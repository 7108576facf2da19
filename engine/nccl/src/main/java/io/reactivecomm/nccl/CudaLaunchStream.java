package io.reactivecomm.nccl;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.nccl.cuda.CudaDevice;
import io.reactivecomm.nccl.cuda.CudaException;
import io.reactivecomm.nccl.cuda.CudaHandle;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.nccl.cuda.CudaStream;
import io.reactivecomm.nccl.cuda.CudaWorker;
import io.reactivecomm.nccl.cuda.DeviceAllocator;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A stream of a CUDA device, and the device's thread for launches. */
final class CudaLaunchStream implements LaunchStream {

    private static final long LOOK_NANOS = 1_000_000;

    private final CudaMemory memory;
    private final CudaDevice device;
    private final CudaWorker thread;
    private final CudaStream stream;

    /** One on a rank's own device; waits for its thread: not for a loop. The memory is closed with it, or if there comes none. */
    CudaLaunchStream(CudaMemory memory, CudaDevice device) {
        this.memory = memory;
        this.device = device;
        this.thread = device.launches();
        try {
            this.stream = thread.call(thread::stream);
        } catch (RuntimeException | Error e) {
            memory.close();
            throw e;
        }
    }

    @Override
    public void execute(Runnable task) {
        thread.execute(task);
    }

    @Override
    public long address() {
        return stream.address();
    }

    @Override
    public Device device() {
        return new Device(CudaMemory.KIND, device.index());
    }

    @Override
    public DeviceMemory memory() {
        return memory;
    }

    @Override
    public void allocateBy(DeviceAllocator allocator) {
        device.allocateBy(allocator);
    }

    @Override
    public void requireKnown(List<Tensor> tensors) {
        memory.requireKnown(tensors);
    }

    @Override
    public Tensor scratch(long bytes) {
        return memory.allocate(device(), DType.UINT8, bytes);
    }

    @Override
    public LaunchPlace place(List<List<Tensor>> tensors) {
        return new Place(memory.beginAll(tensors), thread, stream);
    }

    @Override
    public void copy(long from, long to, long bytes) {
        stream.copy(from, to, bytes);
    }

    @Override
    public void await(BooleanSupplier isSo) {
        thread.pollUntil(isSo);
    }

    @Override
    public void watch(Runnable look) {
        long[] lookedAt = {System.nanoTime()};
        thread.watch(now -> {
            if (now - lookedAt[0] > LOOK_NANOS) {
                lookedAt[0] = now;
                look.run();
            }
            return false;
        });
    }

    @Override
    public void aside(String name, Runnable task) {
        device.aside(name, task);
    }

    @Override
    public void close() {
        memory.close();
    }

    private record Place(List<CudaHandle> handles, CudaWorker thread, CudaStream stream) implements LaunchPlace {

        @Override
        public boolean isTurn() {
            return handles.stream().allMatch(CudaHandle::isTurn);
        }

        @Override
        public void whenTurn(Runnable told) {
            CudaHandle.whenTurn(handles, thread, told);
        }

        @Override
        public void follow() {
            CudaException failed = null;
            // All are followed: what stands before them waits for that to be freed.
            for (CudaHandle handle : handles) {
                try {
                    handle.follow(stream);
                } catch (CudaException e) {
                    failed = e;
                }
            }
            if (failed != null) {
                throw failed;
            }
            handles.forEach(Place::requireWritten);
        }

        /** What was not written here would be an error of this rank alone, and garbage on all others. */
        private static void requireWritten(CudaHandle handle) {
            Throwable fault = handle.faultBefore();
            if (fault != null) {
                throw new CommException(
                        "what a call was to read was not written: cause=" + CommException.textOf(fault)
                                + "; look at the move or kernel before it",
                        fault);
            }
        }

        @Override
        public void complete() {
            stream.complete(handles);
        }
    }
}

package io.reactivecomm.nccl.cuda;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLife;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import java.lang.foreign.MemorySegment;
import jcuda.Pointer;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A tensor in the memory of a CUDA device: allocated by a group, or over a pointer of the program's.
 *
 * <p><b>Streams.</b> What the library enqueues on a tensor is ordered by itself. What the program enqueues on streams of its own is ordered by {@link
 * #on}, in front of
 * a call, and by {@link #awaitedBy} behind it; behind the allocation, too, which fills the tensor with zeros on a stream of the library's:
 *
 * <pre>{@code
 * kernels on stream … write gradient
 * group.enqueued().allReduce(gradient.on(stream), ReduceOp.SUM).subscribe(work -> {
 *     gradient.awaitedBy(stream);
 *     kernels on stream … read gradient
 * });
 * }</pre>
 *
 * <p><b>Threads.</b> Any.
 */
public final class CudaTensor implements Tensor {

    private final Tensor memory;
    private final @Nullable StreamReadiness readiness;

    CudaTensor(Tensor memory, @Nullable StreamReadiness readiness) {
        this.memory = memory;
        this.readiness = readiness;
    }

    /**
     * Makes a tensor of memory of the program's.
     *
     * @param index of the device, in this process
     * @param pointer where the elements begin, in memory that the driver has allocated
     * @param free gives the memory back, or does nothing; it runs once, as {@link Tensor#onDevice} says
     * @throws InvalidCallException if there is no memory of that device
     */
    public static CudaTensor of(int index, Pointer pointer, Runnable free, DType type, long... shape) {
        CudaDriver.load();
        long byteSize = DeviceMemory.byteSize(type, shape);
        long address = RawHandle.address(pointer);
        AddressRange block = AddressRange.of(index, address, byteSize);
        CudaBlocks.JVM.add(block.first(), block.byteSize());
        Runnable end = () -> {
            CudaBlocks.JVM.remove(block.first()).forEach(CudaHandle::unfollowed);
            free.run();
        };
        Device device = new Device(CudaMemory.KIND, index);
        return new CudaTensor(Tensor.onDevice(CudaMemory.ofProcess(), device, address, end, type, shape), null);
    }

    /**
     * {@return the same tensor, for calls behind what is on a stream when they are subscribed to}
     *
     * <p>A subscription records an event there, and the call waits for it on the device. While the stream captures a CUDA graph calls of the view end
     * with {@link
     * InvalidCallException}. Slices and views of it are on the stream, too.
     *
     * @param stream one that the program has created, and destroys after its last call
     */
    public CudaTensor on(CUstream stream) {
        return new CudaTensor(memory, new StreamReadiness(stream));
    }

    /**
     * Lets a stream wait on the device for all that the library has enqueued on the tensor: what the program enqueues on the stream from here on sees
     * the result.
     *
     * @throws IllegalStateException if some of that is not enqueued yet, and the thread must not block
     */
    public void awaitedBy(CUstream stream) {
        Streams.requireNoCapture(stream);
        CudaBlocks.JVM.last(memory).forEach(each -> each.waitOn(stream));
    }

    @Override
    public boolean borrow() {
        return memory.borrow() && isOrdered(memory::giveBack);
    }

    @Override
    public boolean keep() {
        boolean isKept = memory.keep() && isOrdered(memory::unkeep);
        if (isKept && readiness != null) {
            readiness.kept();
        }
        return isKept;
    }

    private boolean isOrdered(Runnable undo) {
        boolean isOrdered = false;
        try {
            order();
            isOrdered = true;
        } finally {
            if (!isOrdered) {
                undo.run();
            }
        }
        return true;
    }

    private void order() {
        if (readiness != null) {
            readiness.order(memory);
        }
    }

    /** {@return a view of the tensor that reads or sets its elements behind the work on its stream} */
    private Tensor ordered() {
        order();
        return memory;
    }

    @Override
    public void unkeep() {
        if (readiness != null) {
            readiness.unkept();
        }
        memory.unkeep();
    }

    @Override
    public void giveBack() {
        memory.giveBack();
    }

    @Override
    public Tensor slice(long from, long count) {
        return new CudaTensor(memory.slice(from, count), readiness);
    }

    @Override
    public Tensor view(DType type, long... shape) {
        return new CudaTensor(memory.view(type, shape), readiness);
    }

    @Override
    public float[] toFloatArray() {
        return ordered().toFloatArray();
    }

    @Override
    public double[] toDoubleArray() {
        return ordered().toDoubleArray();
    }

    @Override
    public int[] toIntArray() {
        return ordered().toIntArray();
    }

    @Override
    public long[] toLongArray() {
        return ordered().toLongArray();
    }

    @Override
    public byte[] toByteArray() {
        return ordered().toByteArray();
    }

    @Override
    public void set(float[] values) {
        ordered().set(values);
    }

    @Override
    public void set(double[] values) {
        ordered().set(values);
    }

    @Override
    public void set(int[] values) {
        ordered().set(values);
    }

    @Override
    public void set(long[] values) {
        ordered().set(values);
    }

    @Override
    public void set(byte[] values) {
        ordered().set(values);
    }

    @Override
    public DType type() {
        return memory.type();
    }

    @Override
    public long[] shape() {
        return memory.shape();
    }

    @Override
    public long count() {
        return memory.count();
    }

    @Override
    public long byteSize() {
        return memory.byteSize();
    }

    @Override
    public Device device() {
        return memory.device();
    }

    @Override
    public MemorySegment segment() {
        return memory.segment();
    }

    @Override
    public long address() {
        return memory.address();
    }

    @Override
    public @Nullable TensorLife life() {
        return memory.life();
    }

    @Override
    public Mono<Void> released() {
        return memory.released();
    }

    @Override
    public void enqueued(Handle handle) {
        memory.enqueued(handle);
    }

    @Override
    public @Nullable Mono<Void> readiness() {
        return memory.readiness();
    }

    @Override
    public boolean isClosed() {
        return memory.isClosed();
    }

    @Override
    public void close() {
        memory.close();
    }

    @Override
    public String toString() {
        return memory.toString();
    }
}

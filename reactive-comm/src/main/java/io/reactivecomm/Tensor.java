package io.reactivecomm;

import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import io.reactivecomm.internal.memory.DeviceTensor;
import io.reactivecomm.internal.memory.HostTensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A contiguous, row-major, native-order array of elements that collectives read and write.
 *
 * <p><b>Shapes.</b> A tensor has a {@link #shape()} of zero or more dimensions; an empty shape is a scalar of one element, and a
 * dimension of 0 makes a tensor of no elements. {@link #count()} is the product and may exceed 2³¹.
 *
 * <p><b>Buffers.</b> From the subscription of a call to its terminal signal the call borrows its tensors; {@link #released()} tells
 * when no call does any more. {@link #close()} of a borrowed tensor lets its calls run on and frees the memory when they have let
 * go. A {@link #slice slice} shares the life of its parent: closing either closes both. Memory that nobody closes is freed when the
 * collector finds that no tensor, slice or call, and no segment or buffer obtained from them, reaches it any more, and {@link TensorLeaks} tells
 * of it. If two calls in flight share bytes that one of them writes, the second call fails with an {@link InvalidCallException}.
 *
 * <p><b>Threads.</b> Metadata may be read from any thread. Elements follow the calls' contract: do not touch them while borrowed.
 */
public interface Tensor extends AutoCloseable {

    /**
     * Allocates a zeroed tensor outside the Java heap, to be {@linkplain #close closed} after its last use.
     *
     * @throws IllegalArgumentException if a dimension is negative or the size overflows
     * @throws OutOfMemoryError if there is not so much memory
     */
    static Tensor allocate(DType type, long... shape) {
        return HostTensor.allocate(type, shape);
    }

    /** {@return a tensor of zeros in that memory, or in the process's own where that has none left} */
    static Tensor allocate(TensorMemory memory, DType type, long... shape) {
        return HostTensor.allocate(memory, type, shape);
    }

    /**
     * Copies values into a new FLOAT32 tensor.
     *
     * @param shape the dimensions; none given means one dimension of {@code values.length}
     * @throws IllegalArgumentException if the shape does not hold exactly {@code values.length} elements
     */
    static Tensor of(float[] values, long... shape) {
        Objects.requireNonNull(values, "values");
        return HostTensor.copyOf(DType.FLOAT32, MemorySegment.ofArray(values), values.length, shape);
    }

    /** As {@link #of(float[], long...)}, for FLOAT64. */
    static Tensor of(double[] values, long... shape) {
        Objects.requireNonNull(values, "values");
        return HostTensor.copyOf(DType.FLOAT64, MemorySegment.ofArray(values), values.length, shape);
    }

    /** As {@link #of(float[], long...)}, for INT32. */
    static Tensor of(int[] values, long... shape) {
        Objects.requireNonNull(values, "values");
        return HostTensor.copyOf(DType.INT32, MemorySegment.ofArray(values), values.length, shape);
    }

    /** As {@link #of(float[], long...)}, for INT64. */
    static Tensor of(long[] values, long... shape) {
        Objects.requireNonNull(values, "values");
        return HostTensor.copyOf(DType.INT64, MemorySegment.ofArray(values), values.length, shape);
    }

    /** As {@link #of(float[], long...)}, for INT8. */
    static Tensor of(byte[] values, long... shape) {
        Objects.requireNonNull(values, "values");
        return HostTensor.copyOf(DType.INT8, MemorySegment.ofArray(values), values.length, shape);
    }

    /**
     * Wraps native memory without a copy. Its owner waits for {@link #released()} before freeing it; {@link #close()} does not free it. A call whose
     * tensor's memory is gone, or goes while it is borrowed, fails on all ranks that have not ended it with {@link InvalidCallException}, and nothing
     * else does. The library does not notice that two wrapped tensors share memory: use slices of one tensor instead.
     *
     * <p>Elements are in the machine's native byte order. A segment does not keep the byte order of its {@code ByteBuffer}, so wrap the buffer itself.
     *
     * @throws IllegalArgumentException if the segment is on the heap, read-only, freed or confined to a thread, or its size is not that of
     *     the shape
     */
    static Tensor wrap(MemorySegment segment, DType type, long... shape) {
        return HostTensor.wrap(segment, type, shape);
    }

    /**
     * As {@link #wrap(MemorySegment, DType, long...)}, of a direct buffer's bytes from its position to its limit. The tensor keeps the buffer's memory alive.
     *
     * <p>A buffer's {@linkplain ByteBuffer#order() order} is {@code BIG_ENDIAN} unless it was set. {@link ByteBuffer#duplicate() duplicate},
     * {@link ByteBuffer#slice() slice} and {@link ByteBuffer#asReadOnlyBuffer() asReadOnlyBuffer} do not keep it.
     *
     * @throws IllegalArgumentException also if elements have several bytes and the buffer's order is not the native one
     */
    static Tensor wrap(ByteBuffer buffer, DType type, long... shape) {
        return HostTensor.wrap(buffer, type, shape);
    }

    /**
     * Makes a tensor of memory that a {@link DeviceMemory} has allocated.
     *
     * @param memory moves its elements
     * @param address where its elements begin, in the address space of the device
     * @param free gives the memory back to the device; it runs once, on the thread that lets go last, which must not be held up, or on one that frees
     *     what the collector has found
     * @throws IllegalArgumentException if a dimension is negative or the size overflows
     */
    static Tensor onDevice(DeviceMemory memory, Device device, long address, Runnable free, DType type, long... shape) {
        return DeviceTensor.of(memory, device, address, free, type, shape);
    }

    /** {@return the element type} */
    DType type();

    /** {@return a copy of the dimensions, outermost first} */
    long[] shape();

    /** {@return the number of elements} */
    long count();

    /** {@return the number of bytes} */
    long byteSize();

    /** {@return where the elements live} */
    Device device();

    /**
     * {@return the memory itself; zero-length at its address for a device tensor}
     *
     * @throws IllegalStateException if the tensor is closed and no call borrows it any more
     */
    MemorySegment segment();

    /**
     * {@return where the elements begin, in the address space of the {@link #device()}; it keeps no memory alive}
     *
     * @throws IllegalStateException as {@link #segment()}
     */
    default long address() {
        return segment().address();
    }

    /**
     * {@return the elements converted to float, rounding where they do not fit}
     *
     * <p><b>Threads.</b> Those of a device tensor are copied to the host first: this waits for whatever was enqueued on the tensor, and for the copy.
     * So do the other conversions to arrays.
     *
     * @throws IllegalStateException if the tensor's memory is gone, it has more elements than an array holds, or it is a device tensor and the thread
     *     must not block
     */
    float[] toFloatArray();

    /** As {@link #toFloatArray()}, to double: exact for all types but 64-bit integers. */
    double[] toDoubleArray();

    /**
     * {@return the elements as ints}
     *
     * @throws IllegalStateException as {@link #toFloatArray()}, or if the type is not BOOL or an integer of at most 32 bits
     */
    int[] toIntArray();

    /**
     * {@return the elements as longs; UINT64 as its bits}
     *
     * @throws IllegalStateException as {@link #toFloatArray()}, or if the type is neither BOOL nor an integer
     */
    long[] toLongArray();

    /**
     * {@return the elements of a type that is one byte wide}
     *
     * @throws IllegalStateException as {@link #toFloatArray()}, or if the type is wider than a byte
     */
    byte[] toByteArray();

    /**
     * Copies values into the tensor, each rounded once to its type. The other {@code set} methods copy bit patterns or integers.
     *
     * <p><b>Buffers.</b> The tensor must not be used by a call while this runs: what the call sends, or leaves in the tensor, is unspecified then.
     *
     * <p><b>Threads.</b> As {@link #toFloatArray()}: for a device tensor, the caller waits for a copy from the host's memory.
     *
     * @param values one for each element
     * @throws IllegalArgumentException if the number of values is not that of the elements
     * @throws IllegalStateException if the tensor's memory is gone, the type is not a floating-point type of at least 16 bits, or it is a device tensor and
     *     the thread must not block
     */
    void set(float[] values);

    /** As {@link #set(float[])}. */
    void set(double[] values);

    /**
     * As {@link #set(float[])}, for BOOL and integers of at most 32 bits. UINT32 gets the values' bits, and BOOL whether they are other than 0.
     *
     * @throws IllegalArgumentException also if the type is narrower and a value does not fit; nothing is copied then
     */
    void set(int[] values);

    /**
     * As {@link #set(float[])}, for BOOL and all integers. UINT64 gets the values' bits, and BOOL whether they are other than 0.
     *
     * @throws IllegalArgumentException also if the type is narrower and a value does not fit; nothing is copied then
     */
    void set(long[] values);

    /** As {@link #set(float[])}, for types that are one byte wide, which get the values' bits. */
    void set(byte[] values);

    /**
     * {@return a one-dimensional view of {@code count} elements from element {@code from}, without a copy}
     *
     * @throws IndexOutOfBoundsException if the range is not inside the tensor
     * @throws IllegalStateException if the tensor is closed
     */
    Tensor slice(long from, long count);

    /**
     * {@return a view of the same bytes as elements of a type, in a shape, without a copy}
     *
     * @throws IllegalArgumentException if they are not as many bytes
     * @throws IllegalStateException if the tensor is closed
     */
    Tensor view(DType type, long... shape);

    /**
     * {@return a Mono that completes once no call borrows this tensor; at once if none does}
     *
     * <p><b>Threads.</b> The signal comes on the thread that let go last, which may be a loop: do not block there.
     */
    Mono<Void> released();

    /**
     * Notes that a call or a move which writes the tensor has been enqueued on its device: whoever reads it later, by a move or by its elements, hears if that fails.
     * For engines and for tensors in memory of their own kind; those of the host's have nothing enqueued on them.
     */
    default void enqueued(Handle handle) {
        // The host waits for handles by itself.
    }

    /** {@return the end of what has been enqueued on the tensor's memory, or its failure; null if all of it has ended well} */
    default @Nullable Mono<Void> readiness() {
        return null;
    }

    /** {@return whether {@link #close()} was called on this tensor or one that shares its life} */
    boolean isClosed();

    /**
     * Closes the tensor: later calls refuse it, and its memory is freed once no call borrows it, which is now if none does. Each access to a
     * segment of it throws from then on. Memory of 32 MiB and more that is freed on a loop goes back to the system on another thread, soon after; who
     * allocates meanwhile and finds none left waits for it. Idempotent.
     */
    @Override
    void close();

    /**
     * {@return the life that it shares with all tensors of its memory} The library uses it to find calls in flight that share bytes. A tensor class without such a
     * life returns null, and its calls are not compared.
     */
    default @Nullable TensorLife life() {
        return null;
    }

    /**
     * Borrows the tensor for one call. For engines; each success is paired with one {@link #giveBack()}.
     *
     * @return false if the tensor is closed
     * @throws InvalidCallException if it cannot be borrowed for another reason, which it says
     */
    boolean borrow();

    /** Ends one {@link #borrow()}. */
    void giveBack();

    /**
     * Borrows the tensor for calls that are still to be made: until {@link #unkeep()} it may be {@linkplain #borrow borrowed} although it is closed.
     * For engines; each success is paired with one {@link #unkeep()}.
     *
     * @return false if the tensor is closed
     * @throws InvalidCallException if it cannot be borrowed for another reason, which it says
     */
    boolean keep();

    /** Ends one {@link #keep()}. */
    void unkeep();
}

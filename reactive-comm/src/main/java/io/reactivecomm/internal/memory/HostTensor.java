package io.reactivecomm.internal.memory;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLife;
import io.reactivecomm.TensorMemory;
import io.reactivecomm.device.Device;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A tensor in the host's memory, outside the Java heap: its own, wrapped, or a part of either. */
public final class HostTensor extends BasicTensor {

    /** Never started: only asked whether a thread other than a segment's owner may reach it. */
    private static final Thread SOME_OTHER_THREAD = Thread.ofPlatform().unstarted(() -> {});

    private final MemorySegment segment;

    private HostTensor(TensorLife life, MemorySegment segment, DType type, long[] shape, long count) {
        super(life, type, shape, count);
        this.segment = segment;
    }

    /** As {@link Tensor#allocate(TensorMemory, DType, long...)}. */
    public static HostTensor allocate(TensorMemory kind, DType type, long... shape) {
        Objects.requireNonNull(kind, "memory");
        long count = Shapes.countOf(type, shape);
        long[] own = shape.clone();
        NativeMemory memory = NativeMemory.allocate(kind, count * type.byteSize(), LeakWatch.over(type, own));
        return new HostTensor(new TensorLife(memory::closed, memory::free), memory.segment(), type, own, count);
    }

    /** As {@link Tensor#allocate(DType, long...)}. */
    public static HostTensor allocate(DType type, long... shape) {
        return allocate(TensorMemory.NONE, type, shape);
    }

    /**
     * Copies elements from the Java heap into a new tensor.
     *
     * @param shape the dimensions; none given means one dimension of {@code length}
     * @throws IllegalArgumentException if the shape does not hold exactly {@code length} elements
     */
    public static HostTensor copyOf(DType type, MemorySegment heapSource, long length, long... shape) {
        Objects.requireNonNull(shape, "shape");
        long[] dimensions = shape.length == 0 ? new long[] {length} : shape;
        long count = Shapes.countOf(type, dimensions);
        if (count != length) {
            throw new IllegalArgumentException("cannot copy values into a tensor: values=" + length + ", "
                    + Shapes.described(type, dimensions) + ", count=" + count + "; give a shape that holds all values");
        }
        HostTensor tensor = allocate(type, dimensions);
        tensor.segment.copyFrom(heapSource.asSlice(0, tensor.byteSize()));
        return tensor;
    }

    /**
     * As {@link Tensor#wrap}.
     *
     * @throws IllegalArgumentException also if the segment belongs to a confined arena, since collectives reach it from
     * their loop
     */
    public static HostTensor wrap(MemorySegment segment, DType type, long... shape) {
        Objects.requireNonNull(segment, "segment");
        long count = Shapes.countOf(type, shape);
        String remedy = whyNotWrapped(segment, count * type.byteSize());
        if (remedy != null) {
            throw new IllegalArgumentException("cannot wrap a segment as a tensor: segmentBytes=" + segment.byteSize()
                    + ", " + Shapes.described(type, shape) + ", tensorBytes=" + count * type.byteSize() + "; "
                    + remedy);
        }
        return new HostTensor(new TensorLife(() -> {}), segment, type, shape.clone(), count);
    }

    /** As {@link Tensor#wrap(ByteBuffer, DType, long...)}. */
    public static HostTensor wrap(ByteBuffer buffer, DType type, long... shape) {
        Objects.requireNonNull(buffer, "buffer");
        long byteSize = Shapes.countOf(type, shape) * type.byteSize();
        String remedy = whyNotWrapped(buffer, type, byteSize);
        if (remedy != null) {
            throw new IllegalArgumentException("cannot wrap a buffer as a tensor: bufferBytes=" + buffer.remaining()
                    + ", " + Shapes.described(type, shape) + ", tensorBytes=" + byteSize + "; " + remedy);
        }
        return wrap(MemorySegment.ofBuffer(buffer), type, shape);
    }

    private static @Nullable String whyNotWrapped(ByteBuffer buffer, DType type, long byteSize) {
        if (!buffer.isDirect()) {
            return "the buffer is on the heap: allocate it with ByteBuffer.allocateDirect, or copy its values with Tensor.of";
        }
        if (buffer.isReadOnly()) {
            return "the buffer is read-only: give the writable buffer that it was made of, or copy its values with Tensor.of";
        }
        if (type.byteSize() > Byte.BYTES && !buffer.order().equals(ByteOrder.nativeOrder())) {
            return "the buffer's byte order is " + buffer.order() + ", and the machine's is " + ByteOrder.nativeOrder()
                    + ": write its elements after buffer.order(ByteOrder.nativeOrder()), or copy its values with Tensor.of;"
                    + " allocateDirect(), duplicate(), slice() and asReadOnlyBuffer() set the order to BIG_ENDIAN, so set it again after them";
        }
        return buffer.remaining() == byteSize
                ? null
                : "give a shape of the bytes between the buffer's position and limit, or set these";
    }

    private static @Nullable String whyNotWrapped(MemorySegment segment, long byteSize) {
        if (!segment.isNative()) {
            return "the segment is on the heap: allocate it from an arena, or copy with Tensor.of";
        }
        if (segment.isReadOnly()) {
            return "the segment is read-only: give a writable one";
        }
        if (!segment.scope().isAlive()) {
            return "the segment is freed, because its arena was closed: give one whose arena is open";
        }
        if (!segment.isAccessibleBy(SOME_OTHER_THREAD)) {
            return "the segment is confined to one thread: allocate it from a shared or automatic arena";
        }
        return segment.byteSize() == byteSize ? null : "give a shape of the segment's size, or a slice of the segment";
    }

    @Override
    public Device device() {
        return Device.CPU;
    }

    @Override
    public MemorySegment segment() {
        requireOpen();
        return segment;
    }

    @Override
    <T> T read(Function<MemorySegment, T> function) {
        return function.apply(elements());
    }

    @Override
    void write(Consumer<MemorySegment> elements) {
        elements.accept(elements());
    }

    /** {@return the segment, whose arena is open} */
    private MemorySegment elements() {
        MemorySegment open = segment();
        if (!open.scope().isAlive()) {
            throw new IllegalStateException("tensor's memory is freed, because its arena was closed: tensor=" + this
                    + "; close the arena after the tensor's last use");
        }
        return open;
    }

    @Override
    String values() {
        return isClosed() ? "" : FirstValues.of(type(), segment, count());
    }

    @Override
    Tensor part(TensorLife life, long fromByte, DType type, long[] shape, long count) {
        return new HostTensor(life, segment.asSlice(fromByte, count * type.byteSize()), type, shape, count);
    }
}

package io.reactivecomm;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A tensor in the host's memory, outside the Java heap: its own, wrapped, or a slice of either.
 *
 * <p><b>Threads.</b> Immutable but for its {@link TensorLife} and its elements. Equality is identity.
 */
final class HostTensor implements Tensor {

    /** The length that every JVM grants to an array; a few more fail on some. */
    private static final long LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    /** Never started: only asked whether a thread other than a segment's owner may reach it. */
    private static final Thread SOME_OTHER_THREAD = Thread.ofPlatform().unstarted(() -> {});

    private final TensorLife life;
    private final MemorySegment segment;
    private final DType type;
    private final long[] shape;
    private final long count;

    private HostTensor(TensorLife life, MemorySegment segment, DType type, long[] shape, long count) {
        this.life = life;
        this.segment = segment;
        this.type = type;
        this.shape = shape;
        this.count = count;
    }

    /** As {@link Tensor#allocate(TensorMemory, DType, long...)}. */
    static HostTensor allocate(TensorMemory kind, DType type, long... shape) {
        long count = countOf(type, shape);
        long[] own = shape.clone();
        NativeMemory memory = NativeMemory.allocate(kind, count * type.byteSize(), TensorLeaks.over(type, own));
        return new HostTensor(new TensorLife(memory), memory.segment(), type, own, count);
    }

    /** As {@link Tensor#allocate(DType, long...)}. */
    static HostTensor allocate(DType type, long... shape) {
        return allocate(TensorMemory.NONE, type, shape);
    }

    /**
     * Copies elements from the Java heap into a new tensor.
     *
     * @param shape the dimensions; none given means one dimension of {@code length}
     * @throws IllegalArgumentException if the shape does not hold exactly {@code length} elements
     */
    static HostTensor copyOf(DType type, MemorySegment heapSource, long length, long... shape) {
        long[] dimensions = shape.length == 0 ? new long[] {length} : shape;
        long count = countOf(type, dimensions);
        if (count != length) {
            throw new IllegalArgumentException("cannot copy values into a tensor: values=" + length + ", "
                    + described(type, dimensions) + ", count=" + count + "; give a shape that holds all values");
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
    static HostTensor wrap(MemorySegment segment, DType type, long... shape) {
        long count = countOf(type, shape);
        String remedy = whyNotWrapped(segment, count * type.byteSize());
        if (remedy != null) {
            throw new IllegalArgumentException("cannot wrap a segment as a tensor: segmentBytes=" + segment.byteSize()
                    + ", " + described(type, shape) + ", tensorBytes=" + count * type.byteSize() + "; " + remedy);
        }
        return new HostTensor(new TensorLife(null), segment, type, shape.clone(), count);
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

    private static long countOf(DType type, long[] shape) {
        boolean isEmpty = false;
        for (long dimension : shape) {
            if (dimension < 0) {
                throw new IllegalArgumentException(
                        "invalid tensor shape: " + described(type, shape) + "; give dimensions of 0 or more");
            }
            isEmpty |= dimension == 0;
        }
        return isEmpty ? 0 : productOf(type, shape);
    }

    private static long productOf(DType type, long[] shape) {
        long count = 1;
        try {
            for (long dimension : shape) {
                count = Math.multiplyExact(count, dimension);
            }
            Math.multiplyExact(count, (long) type.byteSize());
        } catch (ArithmeticException overflow) {
            throw new IllegalArgumentException(
                    "tensor too large: " + described(type, shape) + "; give a shape of less than 2^63 bytes", overflow);
        }
        return count;
    }

    private static String described(DType type, long[] shape) {
        return "type=" + type + ", shape=" + Arrays.toString(shape);
    }

    @Override
    public DType type() {
        return type;
    }

    @Override
    public long[] shape() {
        return shape.clone();
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public long byteSize() {
        return count * type.byteSize();
    }

    @Override
    public Device device() {
        return Device.CPU;
    }

    @Override
    public MemorySegment segment() {
        if (life.isFreed()) {
            throw new IllegalStateException("tensor is closed: tensor=" + this + "; close it after its last use");
        }
        return segment;
    }

    @Override
    public float[] toFloatArray() {
        return Elements.toFloats(type, segment(), arrayLength());
    }

    @Override
    public double[] toDoubleArray() {
        return Elements.toDoubles(type, segment(), arrayLength());
    }

    @Override
    public int[] toIntArray() {
        if (!isIntegral() || type.byteSize() > Integer.BYTES) {
            throw notConvertible("int[]", "use toLongArray() for 64-bit integers, toDoubleArray() for all else");
        }
        return Elements.toInts(type, segment(), arrayLength());
    }

    @Override
    public long[] toLongArray() {
        if (!isIntegral()) {
            throw notConvertible("long[]", "use toDoubleArray()");
        }
        return Elements.toLongs(type, segment(), arrayLength());
    }

    @Override
    public byte[] toByteArray() {
        if (type.byteSize() != Byte.BYTES) {
            throw notConvertible("byte[]", "use toIntArray(), toLongArray() or toDoubleArray()");
        }
        return Elements.toBytes(segment(), arrayLength());
    }

    private boolean isIntegral() {
        return type.isInteger() || type.family() == DType.Family.BOOLEAN;
    }

    private int arrayLength() {
        if (count > LONGEST_ARRAY) {
            throw notConvertible("an array", "convert slices of at most " + LONGEST_ARRAY + " elements");
        }
        return (int) count;
    }

    private IllegalStateException notConvertible(String target, String remedy) {
        return new IllegalStateException("cannot convert a tensor to " + target + ": tensor=" + this + "; " + remedy);
    }

    @Override
    public Tensor slice(long from, long count) {
        if (from < 0 || count < 0 || from > this.count - count) {
            throw new IndexOutOfBoundsException("cannot slice a tensor: tensor=" + this + ", from=" + from + ", count="
                    + count + "; give a range inside its " + this.count + " elements");
        }
        long width = type.byteSize();
        MemorySegment part = segment().asSlice(from * width, count * width);
        return new HostTensor(life, part, type, new long[] {count}, count);
    }

    @Override
    public Mono<Void> released() {
        return life.released();
    }

    @Override
    public boolean isClosed() {
        return life.isClosed();
    }

    @Override
    public void close() {
        life.close();
    }

    @Override
    public boolean borrow() {
        return life.borrow();
    }

    @Override
    public void giveBack() {
        life.giveBack();
    }

    @Override
    public boolean keep() {
        return life.keep();
    }

    @Override
    public void unkeep() {
        life.unkeep();
    }

    @Override
    public String toString() {
        return type + Arrays.toString(shape);
    }
}

package io.reactivecomm.internal.memory;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLife;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntToLongFunction;
import reactor.core.publisher.Mono;

/**
 * A tensor with a {@link TensorLife}: all but where its elements are, and how the host comes by them.
 *
 * <p><b>Threads.</b> Immutable but for its life and its elements. Equality is identity.
 */
public abstract sealed class BasicTensor implements Tensor permits HostTensor, DeviceTensor {

    /** The length that every JVM grants to an array; a few more fail on some. */
    private static final long LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    private final TensorLife life;
    private final DType type;
    private final long[] shape;
    private final long count;

    BasicTensor(TensorLife life, DType type, long[] shape, long count) {
        this.life = life;
        this.type = type;
        this.shape = shape;
        this.count = count;
    }

    /** {@return what a function makes of the elements, which are in the host's memory as long as it runs} */
    abstract <T> T read(Function<MemorySegment, T> function);

    /** Lets a function write the elements, which are in the host's memory while it runs. */
    abstract void write(Consumer<MemorySegment> function);

    /** {@return a tensor of the same memory from a byte on, which is inside} */
    abstract Tensor part(TensorLife life, long fromByte, DType type, long[] shape, long count);

    @Override
    public final DType type() {
        return type;
    }

    @Override
    public final long[] shape() {
        return shape.clone();
    }

    @Override
    public final long count() {
        return count;
    }

    @Override
    public final long byteSize() {
        return count * type.byteSize();
    }

    final void requireOpen() {
        if (life.isFreed()) {
            throw new IllegalStateException("tensor is closed: tensor=" + this + "; close it after its last use");
        }
    }

    @Override
    public final float[] toFloatArray() {
        int length = arrayLength();
        return read(elements -> Elements.toFloats(type, elements, length));
    }

    @Override
    public final double[] toDoubleArray() {
        int length = arrayLength();
        return read(elements -> Elements.toDoubles(type, elements, length));
    }

    @Override
    public final int[] toIntArray() {
        if (!isIntegral() || type.byteSize() > Integer.BYTES) {
            throw notConvertible("int[]", "use toLongArray() for 64-bit integers, toDoubleArray() for all else");
        }
        int length = arrayLength();
        return read(elements -> Elements.toInts(type, elements, length));
    }

    @Override
    public final long[] toLongArray() {
        if (!isIntegral()) {
            throw notConvertible("long[]", "use toDoubleArray()");
        }
        int length = arrayLength();
        return read(elements -> Elements.toLongs(type, elements, length));
    }

    @Override
    public final byte[] toByteArray() {
        if (type.byteSize() != Byte.BYTES) {
            throw notConvertible("byte[]", "use toIntArray(), toLongArray() or toDoubleArray()");
        }
        int length = arrayLength();
        return read(elements -> Elements.toBytes(elements, length));
    }

    @Override
    public final void set(float[] values) {
        Objects.requireNonNull(values, "values");
        requireFloating("float[]");
        requireCount(values.length);
        write(elements -> Elements.set(type, elements, values));
    }

    @Override
    public final void set(double[] values) {
        Objects.requireNonNull(values, "values");
        requireFloating("double[]");
        requireCount(values.length);
        write(elements -> Elements.set(type, elements, values));
    }

    @Override
    public final void set(int[] values) {
        Objects.requireNonNull(values, "values");
        if (!isIntegral() || type.byteSize() > Integer.BYTES) {
            throw notSettable("int[]");
        }
        requireCount(values.length);
        if (type.byteSize() < Integer.BYTES) {
            requireFit(values.length, i -> values[i]);
        }
        write(elements -> Elements.set(type, elements, values));
    }

    @Override
    public final void set(long[] values) {
        Objects.requireNonNull(values, "values");
        if (!isIntegral()) {
            throw notSettable("long[]");
        }
        requireCount(values.length);
        requireFit(values.length, i -> values[i]);
        write(elements -> Elements.set(type, elements, values));
    }

    @Override
    public final void set(byte[] values) {
        Objects.requireNonNull(values, "values");
        if (type.byteSize() != Byte.BYTES) {
            throw notSettable("byte[]");
        }
        requireCount(values.length);
        write(elements -> Elements.set(elements, values));
    }

    private void requireFloating(String source) {
        if (isIntegral() || type.byteSize() == Byte.BYTES) {
            throw notSettable(source);
        }
    }

    private void requireFit(int length, IntToLongFunction values) {
        for (int i = 0; i < length; i++) {
            long value = values.applyAsLong(i);
            if (!Elements.fit(type, value)) {
                throw new IllegalArgumentException("a value does not fit into a tensor: value=" + value + ", place=" + i
                        + ", tensor=" + this + "; give values of its type, or a tensor of a wider one");
            }
        }
    }

    private void requireCount(int length) {
        if (length != count) {
            throw new IllegalArgumentException("cannot copy values into a tensor: values=" + length + ", tensor=" + this
                    + ", count=" + count + "; give one for each element, or set a slice");
        }
    }

    private IllegalStateException notSettable(String source) {
        return new IllegalStateException("cannot set a tensor from " + source + ": tensor=" + this + "; " + settable());
    }

    /** {@return the arrays that set the type, as advice} */
    private String settable() {
        return switch (type) {
            case FLOAT16, BFLOAT16, FLOAT32, FLOAT64 -> "give float[] or double[]";
            case FLOAT8_E4M3, FLOAT8_E5M2 -> "give its bits as byte[]";
            case INT64, UINT64 -> "give long[]";
            case INT32, UINT32 -> "give int[] or long[]";
            case INT8, UINT8, BOOL -> "give int[], long[] or byte[]";
        };
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
    public final Tensor slice(long from, long count) {
        if (from < 0 || count < 0 || from > this.count - count) {
            throw new IndexOutOfBoundsException("cannot slice a tensor: tensor=" + this + ", from=" + from + ", count="
                    + count + "; give a range inside its " + this.count + " elements");
        }
        requireOpen();
        return part(life, from * type.byteSize(), type, new long[] {count}, count);
    }

    @Override
    public final Tensor view(DType other, long... dimensions) {
        long elements = Shapes.countOf(other, dimensions);
        if (elements * other.byteSize() != byteSize()) {
            throw new IllegalArgumentException("cannot view a tensor so: tensor=" + this + ", "
                    + Shapes.described(other, dimensions) + "; give a type and shape of its " + byteSize() + " bytes");
        }
        requireOpen();
        return part(life, 0, other, dimensions.clone(), elements);
    }

    @Override
    public final Mono<Void> released() {
        return life.released();
    }

    @Override
    public final boolean isClosed() {
        return life.isClosed();
    }

    @Override
    public final void close() {
        life.close();
    }

    @Override
    public final TensorLife life() {
        return life;
    }

    @Override
    public final boolean borrow() {
        return life.borrow();
    }

    @Override
    public final void giveBack() {
        life.giveBack();
    }

    @Override
    public final boolean keep() {
        return life.keep();
    }

    @Override
    public final void unkeep() {
        life.unkeep();
    }

    /** {@return the first elements in braces, after a blank; an empty text if they cannot be read safely and at once} */
    abstract String values();

    /** {@return the type, the shape and the first elements} */
    @Override
    public String toString() {
        return type + Arrays.toString(shape) + values();
    }
}

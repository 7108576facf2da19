package io.reactivecomm.internal.local;

import io.reactivecomm.DType;
import io.reactivecomm.Device;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import reactor.core.publisher.Mono;

/**
 * A tensor of the program's own that cannot be borrowed: it throws, also a checked exception undeclared, as Kotlin and Scala do. The proxy of an interface cannot.
 *
 * @param tensor the tensor that it is otherwise
 */
record ThrowingTensor(Tensor tensor, Throwable thrown) implements Tensor {

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E undeclared(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Override
    public DType type() {
        return tensor.type();
    }

    @Override
    public long[] shape() {
        return tensor.shape();
    }

    @Override
    public long count() {
        return tensor.count();
    }

    @Override
    public long byteSize() {
        return tensor.byteSize();
    }

    @Override
    public Device device() {
        return tensor.device();
    }

    @Override
    public MemorySegment segment() {
        return tensor.segment();
    }

    @Override
    public float[] toFloatArray() {
        return tensor.toFloatArray();
    }

    @Override
    public double[] toDoubleArray() {
        return tensor.toDoubleArray();
    }

    @Override
    public int[] toIntArray() {
        return tensor.toIntArray();
    }

    @Override
    public long[] toLongArray() {
        return tensor.toLongArray();
    }

    @Override
    public byte[] toByteArray() {
        return tensor.toByteArray();
    }

    @Override
    public void set(float[] values) {
        tensor.set(values);
    }

    @Override
    public void set(double[] values) {
        tensor.set(values);
    }

    @Override
    public void set(int[] values) {
        tensor.set(values);
    }

    @Override
    public void set(long[] values) {
        tensor.set(values);
    }

    @Override
    public void set(byte[] values) {
        tensor.set(values);
    }

    @Override
    public Tensor slice(long from, long count) {
        return tensor.slice(from, count);
    }

    @Override
    public Tensor view(DType type, long... shape) {
        return tensor.view(type, shape);
    }

    @Override
    public Mono<Void> released() {
        return tensor.released();
    }

    @Override
    public boolean isClosed() {
        return tensor.isClosed();
    }

    @Override
    public void close() {
        tensor.close();
    }

    @Override
    public boolean borrow() {
        throw ThrowingTensor.<RuntimeException>undeclared(thrown);
    }

    @Override
    public void giveBack() {
        tensor.giveBack();
    }

    @Override
    public boolean keep() {
        throw ThrowingTensor.<RuntimeException>undeclared(thrown);
    }

    @Override
    public void unkeep() {
        tensor.unkeep();
    }
}

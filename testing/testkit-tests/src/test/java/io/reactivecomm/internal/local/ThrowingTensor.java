package io.reactivecomm.internal.local;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import java.lang.foreign.MemorySegment;
import reactor.core.publisher.Mono;

/**
 * A tensor of the program's own that throws, also a checked exception undeclared, as Kotlin and Scala do. The proxy of an interface cannot.
 *
 * @param tensor the tensor that it is otherwise
 * @param place where it throws
 */
record ThrowingTensor(Tensor tensor, Throwable thrown, Place place) implements Tensor {

    /** The questions to which a tensor throws. */
    enum Place {
        BORROW,
        DEVICE
    }

    /** {@return one that cannot be borrowed} */
    static ThrowingTensor borrowed(Tensor tensor, Throwable thrown) {
        return new ThrowingTensor(tensor, thrown, Place.BORROW);
    }

    private void throwAt(Place asked) {
        if (asked == place) {
            throw ThrowingTensor.<RuntimeException>undeclared(thrown);
        }
    }

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
        throwAt(Place.DEVICE);
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
        throwAt(Place.BORROW);
        return tensor.borrow();
    }

    @Override
    public void giveBack() {
        tensor.giveBack();
    }

    @Override
    public boolean keep() {
        throwAt(Place.BORROW);
        return tensor.keep();
    }

    @Override
    public void unkeep() {
        tensor.unkeep();
    }
}

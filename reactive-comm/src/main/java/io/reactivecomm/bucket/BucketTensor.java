package io.reactivecomm.bucket;

import io.reactivecomm.DType;
import io.reactivecomm.Device;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import reactor.core.publisher.Mono;

/**
 * The elements of one bucket in somebody's memory, whose life is that memory's: who borrows them borrows all of it. Immutable.
 *
 * @param owner lends and closes the memory
 * @param memory that of the elements, which lives as long as the owner
 */
record BucketTensor(DType type, long count, Tensor owner, MemorySegment memory) implements Tensor {

    @Override
    public long[] shape() {
        return new long[] {count};
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
        return memory;
    }

    private Tensor elements() {
        return Tensor.wrap(memory, type, count);
    }

    @Override
    public float[] toFloatArray() {
        return elements().toFloatArray();
    }

    @Override
    public double[] toDoubleArray() {
        return elements().toDoubleArray();
    }

    @Override
    public int[] toIntArray() {
        return elements().toIntArray();
    }

    @Override
    public long[] toLongArray() {
        return elements().toLongArray();
    }

    @Override
    public byte[] toByteArray() {
        return elements().toByteArray();
    }

    @Override
    public Tensor slice(long from, long count) {
        return elements().slice(from, count);
    }

    @Override
    public Mono<Void> released() {
        return owner.released();
    }

    @Override
    public boolean isClosed() {
        return owner.isClosed();
    }

    /** Does nothing: the memory is its owner's. */
    @Override
    public void close() {}

    @Override
    public boolean borrow() {
        return owner.borrow();
    }

    @Override
    public void giveBack() {
        owner.giveBack();
    }

    @Override
    public boolean keep() {
        return owner.keep();
    }

    @Override
    public void unkeep() {
        owner.unkeep();
    }

    @Override
    public String toString() {
        return type + "[" + count + "]";
    }
}

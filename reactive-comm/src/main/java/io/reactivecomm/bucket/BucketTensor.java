package io.reactivecomm.bucket;

import io.reactivecomm.DType;
import io.reactivecomm.Device;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The tensor of a bucket's call, which is assembled before anybody knows in which memory the bucket will lie.
 *
 * <pre>
 *   unbound ── bind ──&gt; bound: elements and life are those of the memory's owner
 *      └────── refuse ──&gt; refused: cannot be borrowed, which says why, so that its call fails on all ranks with that text
 * </pre>
 *
 * <p><b>Threads.</b> Bound or refused before its call is subscribed to; from then on any.
 */
final class BucketTensor implements Tensor {

    private final DType type;
    private final long count;
    private volatile MemorySegment memory = MemorySegment.NULL;
    private volatile @Nullable Tensor owner;
    private volatile @Nullable String refusal;

    BucketTensor(DType type, long count) {
        this.type = type;
        this.count = count;
    }

    /** @param memory that of the elements, which lives as long as the owner */
    void bind(Tensor owner, MemorySegment memory) {
        this.memory = memory;
        this.owner = owner;
    }

    /** @param why for all ranks to read */
    void refuse(String why) {
        refusal = why;
    }

    @Override
    public DType type() {
        return type;
    }

    @Override
    public long[] shape() {
        return new long[] {count};
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
        Tensor life = owner;
        return life == null ? Mono.empty() : life.released();
    }

    @Override
    public boolean isClosed() {
        Tensor life = owner;
        return refusal != null || (life != null && life.isClosed());
    }

    /** Lets no call borrow it any more; the memory is its owner's. */
    @Override
    public void close() {
        refuse("its tensor was closed");
    }

    /** @throws InvalidCallException if it was refused */
    @Override
    public boolean borrow() {
        requireNotRefused();
        Tensor life = owner;
        return life != null && life.borrow();
    }

    private void requireNotRefused() {
        String why = refusal;
        if (why != null) {
            throw new InvalidCallException("a bucket of gradients was not reduced: bucket=" + this + ", because " + why
                    + "; mend that, then begin the step again on all ranks");
        }
    }

    @Override
    public void giveBack() {
        Objects.requireNonNull(owner).giveBack();
    }

    @Override
    public boolean keep() {
        requireNotRefused();
        Tensor life = owner;
        return life != null && life.keep();
    }

    @Override
    public void unkeep() {
        Objects.requireNonNull(owner).unkeep();
    }

    @Override
    public String toString() {
        return type + "[" + count + "]";
    }
}

package io.reactivecomm;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory that one call reads and writes while it is in flight. For the library: a program sees claims by the {@link InvalidCallException} of a call that
 * touches what an earlier one writes, or writes what an earlier one touches.
 *
 * <p>A claim begins at the call's subscription, after its tensors were borrowed, and ends before they are given back. Tensors, their slices and
 * their views are compared by the bytes that they share in one {@link TensorLife}; a tensor without one is not compared, and an empty one claims nothing.
 *
 * <p><b>Cost.</b> A claim is the call's own object. If it is the only one of a memory, it stands in a field of the {@link TensorLife}: one compare-and-set at
 * the beginning and one at the end. From the second on a {@link ClaimedMemory} holds them all.
 *
 * <p><b>Threads.</b> It begins on the subscriber's thread and ends on any; other calls look at it meanwhile, on theirs.
 */
public abstract class TensorClaim {

    private static final String REMEDY = "; subscribe to the second call when the first has ended, or give each memory of its own; cancellation and"
            + " Mono.timeout only detach the subscriber, and the call lasts until Tensor.released() completes";

    private List<Tensor> reads = List.of();
    private List<Tensor> writes = List.of();

    protected TensorClaim() {}

    /** {@return what is called, such as {@code all-reduce}} */
    protected abstract String operation();

    /** {@return which call it is, such as {@code layer1.weight#2}} */
    protected abstract String label();

    /** {@return whether this claim may touch all that an earlier one does: as a call inside that composite call may, or one of another rank} */
    protected abstract boolean mayShareWith(TensorClaim earlier);

    /** {@return whether bytes that this claim was to write are final, and are only read from here on} */
    protected boolean areFinal(long from, long to) {
        return false;
    }

    /**
     * Claims memory, once.
     *
     * @param reads tensors that are borrowed
     * @param writes those that are written, which may be the same list, or share memory with the others
     * @throws InvalidCallException if a call in flight claims some of it; nothing is claimed then
     */
    protected final void claim(List<Tensor> reads, List<Tensor> writes) {
        this.reads = reads == writes ? List.of() : reads;
        this.writes = writes;
        boolean isClaimed = false;
        try {
            claimAll(this.writes);
            claimAll(this.reads);
            isClaimed = true;
        } finally {
            if (!isClaimed) {
                unclaim();
            }
        }
    }

    private void claimAll(List<Tensor> tensors) {
        TensorLife last = null;
        for (int i = 0; i < tensors.size(); i++) {
            Tensor tensor = tensors.get(i);
            TensorLife life = tensor.life();
            if (life != null && life != last && tensor.byteSize() > 0) {
                last = life;
                life.claim(this);
            }
        }
    }

    /** {@return the error of one of its tensors, which it cannot read or write because of an earlier claim} */
    final InvalidCallException refusal(Tensor tensor, boolean isWrite, ClaimedMemory.Range earlier) {
        return new InvalidCallException(operation() + " cannot " + (isWrite ? "write" : "read") + " memory that a call in flight "
                + (earlier.isWrite() ? "writes" : "reads") + ": call=" + label() + ", tensor=" + described(tensor) + ", other="
                + earlier.claim().operation() + " " + earlier.claim().label() + ", otherTensor=" + described(earlier.tensor()) + REMEDY);
    }

    /** Without its elements, which the other call may be writing. */
    private static String described(Tensor tensor) {
        String where = tensor.device().equals(Device.CPU) ? "" : " on " + tensor.device();
        return tensor.type() + Arrays.toString(tensor.shape()) + where;
    }

    /** Ends the claim. Idempotent. */
    protected final void unclaim() {
        unclaimAll(writes);
        unclaimAll(reads);
        writes = List.of();
        reads = List.of();
    }

    private void unclaimAll(List<Tensor> tensors) {
        TensorLife last = null;
        for (int i = 0; i < tensors.size(); i++) {
            TensorLife life = tensors.get(i).life();
            if (life != null && life != last) {
                last = life;
                life.unclaim(this);
            }
        }
    }

    /** {@return whether it has more than one tensor} */
    final boolean hasSeveral() {
        return reads.size() + writes.size() > 1;
    }

    /** {@return the tensors that are read and not written as a whole list} As long as the claim lasts. */
    final List<Tensor> reads() {
        return reads;
    }

    /** {@return the tensors that are written} As long as the claim lasts. */
    final List<Tensor> writes() {
        return writes;
    }
}

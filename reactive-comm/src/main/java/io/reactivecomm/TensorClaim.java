package io.reactivecomm;

import io.reactivecomm.device.Device;
import java.util.Arrays;
import java.util.List;

/**
 * The memory that one call reads and writes while it is in flight. Claims are made by the library. A program notices them when a call fails with an
 * {@link InvalidCallException}, because it writes memory that an earlier call uses, or reads memory that an earlier call writes.
 *
 * <p>A claim begins at the call's subscription, after the call has borrowed its tensors. It ends before the tensors are given back. Tensors, slices and
 * views are compared by the bytes that they share in one {@link TensorLife}. A tensor without a life is not compared, and an empty tensor claims nothing.
 *
 * <p><b>Cost.</b> A claim is the call's own object. The only claim of a memory stands in a field of the {@link TensorLife}, which costs one
 * compare-and-set at the beginning and one at the end. Two or more claims of a memory are in a {@link ClaimedMemory}.
 *
 * <p><b>Threads.</b> It begins on the subscriber's thread and ends on any thread. Other threads may look at it in between.
 */
public abstract class TensorClaim {

    private static final String REMEDY =
            "; subscribe to the second call when the first has ended, or give each memory of its own; cancellation and"
                    + " Mono.timeout only detach the subscriber, and the call lasts until Tensor.released() completes";

    private List<Tensor> reads = List.of();
    private List<Tensor> writes = List.of();

    protected TensorClaim() {}

    /** {@return the call's operation, such as {@code all-reduce}} */
    protected abstract String operation();

    /** {@return the call's label, such as {@code layer1.weight#2}} */
    protected abstract String label();

    /** {@return the group that the call is made in, for errors that name calls of two groups; empty if it is in none} */
    protected String group() {
        return "";
    }

    /** {@return what a call that conflicts with this claim can do besides waiting, as a sentence; or an empty text} */
    protected String advice() {
        return "";
    }

    /** {@return whether this claim never conflicts with an earlier one, such as that of an enclosing composite call or of another rank} */
    protected abstract boolean mayShareWith(TensorClaim earlier);

    /** {@return whether the call has finished writing these bytes, so that others may read them} */
    protected boolean areFinal(long from, long to) {
        return false;
    }

    /**
     * Claims memory, once.
     *
     * @param reads tensors that the call reads, which it has borrowed
     * @param writes tensors that the call writes; may be the same list, or share memory with {@code reads}
     * @throws InvalidCallException if a claim of a call in flight conflicts; this claim then holds nothing
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
        TensorClaim other = earlier.claim();
        boolean isOfOneGroup = group().equals(other.group());
        return new InvalidCallException(
                operation() + " cannot " + (isWrite ? "write" : "read") + " memory that a call in flight "
                        + (earlier.isWrite() ? "writes" : "reads") + ": call=" + label()
                        + (isOfOneGroup ? "" : ", group=" + group())
                        + ", tensor=" + described(tensor) + place(tensor, isWrite)
                        + ", other=" + other.operation() + " " + other.label()
                        + (isOfOneGroup ? "" : ", otherGroup=" + other.group())
                        + ", otherTensor=" + described(earlier.tensor())
                        + other.place(earlier.tensor(), earlier.isWrite()) + REMEDY + other.advice());
    }

    /** {@return where a tensor is among several; empty for the only one, and for one of a claim that has just ended} */
    private String place(Tensor tensor, boolean isWrite) {
        List<Tensor> all = isWrite ? writes : reads;
        for (int i = 0; i < all.size() && all.size() > 1; i++) {
            if (all.get(i) == tensor) {
                return " (" + (i + 1) + " of " + all.size() + " that it " + (isWrite ? "writes" : "reads") + ")";
            }
        }
        return "";
    }

    /** Leaves the elements out, because the other call may be writing them. */
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

    /** {@return the tensors that are read, while the claim lasts; empty if they are the list of those that are written} */
    final List<Tensor> reads() {
        return reads;
    }

    /** {@return the tensors that are written, while the claim lasts} */
    final List<Tensor> writes() {
        return writes;
    }
}

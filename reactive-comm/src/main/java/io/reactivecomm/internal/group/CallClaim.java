package io.reactivecomm.internal.group;

import io.reactivecomm.Tensor;
import io.reactivecomm.TensorClaim;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.GroupState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A claim of a call, or of a run of a composite call. It conflicts only with claims of the same rank, and with two exceptions. A call may use memory that
 * an enclosing composite call claims. Calls of one engine may use the same memory if the engine orders them on a device.
 *
 * <p><b>Threads.</b> As {@link TensorClaim}.
 */
abstract class CallClaim extends TensorClaim {

    /** The rank that claims, once it does. */
    private @Nullable RankDriver rank;

    private @Nullable GroupState madeIn;
    private @Nullable Composite enclosing;
    private boolean sharesMemory;

    /**
     * Claims memory, once.
     *
     * @param driver that of the rank
     * @param group the group that the call is made in
     * @param within the run of a composite call that the claim is made in, or null
     * @throws io.reactivecomm.InvalidCallException as {@link TensorClaim#claim}
     */
    final void claim(
            RankDriver driver, GroupState group, @Nullable Composite within, List<Tensor> reads, List<Tensor> writes) {
        rank = driver;
        madeIn = group;
        enclosing = within;
        claim(reads, writes);
    }

    /** {@return the run that claims, for itself and the calls inside; null for a call} */
    @Nullable Composite claimant() {
        return null;
    }

    /** {@return the engine that orders the call with its other calls on a device, or null} */
    @Nullable Object order() {
        return null;
    }

    /** {@return whether it shares memory with an earlier claim of its {@link #order}, which was in flight when this one began} */
    final boolean sharesMemory() {
        return sharesMemory;
    }

    /** Is asked about claims that exclude this one otherwise: they have memory in common, and one of the two writes it. */
    @Override
    protected final boolean mayShareWith(TensorClaim earlier) {
        if (!(earlier instanceof CallClaim other)) {
            return false;
        }
        if (rank != other.rank || isInside(other.claimant())) {
            return true;
        }
        Object order = order();
        boolean isOrdered = order != null && order == other.order();
        sharesMemory |= isOrdered;
        return isOrdered;
    }

    @Override
    protected final String group() {
        return madeIn == null ? "" : madeIn.id() + " of ranks " + madeIn.worldRanks();
    }

    private boolean isInside(@Nullable Composite run) {
        Composite each = run == null ? null : enclosing;
        while (each != null && each != run) {
            each = each.outer();
        }
        return each != null;
    }
}

package io.reactivecomm.internal.group;

import io.reactivecomm.Tensor;
import io.reactivecomm.TensorClaim;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.Composite;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A claim of a call, or of a run of a composite call. It conflicts only with claims of the same rank, and with two exceptions. A call may use memory that
 * an enclosing composite call claims. Calls of one engine may use the same memory if the engine orders them on a device.
 *
 * <p><b>Threads.</b> As {@link TensorClaim}.
 */
abstract class CallClaim extends TensorClaim {

    /** Where the call is made, once it claims. */
    private @Nullable CallPlace place;

    private boolean sharesMemory;

    /**
     * Claims memory, once.
     *
     * @param where the group, and the run of a composite call, that the claim is made in
     * @throws io.reactivecomm.InvalidCallException as {@link TensorClaim#claim}
     */
    final void claim(CallPlace where, List<Tensor> reads, List<Tensor> writes) {
        place = where;
        claim(reads, writes);
    }

    /** {@return the run that claims, for itself and the calls inside; null for a call} */
    @Nullable Composite run() {
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
        if (driver() != other.driver() || isInside(other.run())) {
            return true;
        }
        Object order = order();
        boolean isOrdered = order != null && order == other.order();
        sharesMemory |= isOrdered;
        return isOrdered;
    }

    private @Nullable RankDriver driver() {
        return place == null ? null : place.driver();
    }

    @Override
    protected final String group() {
        return place == null ? "" : place.group().id() + " of ranks " + place.group().worldRanks();
    }

    private boolean isInside(@Nullable Composite run) {
        Composite each = run == null || place == null ? null : place.composite();
        while (each != null && each != run) {
            each = each.outer();
        }
        return each != null;
    }
}

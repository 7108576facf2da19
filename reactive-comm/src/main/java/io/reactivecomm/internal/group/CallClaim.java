package io.reactivecomm.internal.group;

import io.reactivecomm.Tensor;
import io.reactivecomm.TensorClaim;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A claim of a call or of a composite call's run. It excludes those of the same rank, with two exceptions: a call inside a composite call may touch what that claims, and
 * an engine's calls may touch what the same engine does before or behind them on its device.
 *
 * <p><b>Threads.</b> As {@link TensorClaim}.
 */
abstract class CallClaim extends TensorClaim {

    private @Nullable CallPlace place;

    /**
     * Claims memory, once.
     *
     * @param where the place that counts the call
     * @throws io.reactivecomm.InvalidCallException as {@link TensorClaim#claim}
     */
    final void claim(CallPlace where, List<Tensor> reads, List<Tensor> writes) {
        place = where;
        claim(reads, writes);
    }

    /** {@return the run that claims, for itself and what it encloses; null for a call} */
    @Nullable CompositeRun run() {
        return null;
    }

    /** {@return what orders its calls on a device, one behind the other; null if nothing does} */
    @Nullable Object order() {
        return null;
    }

    /** {@return where it is counted, once it claims} */
    final @Nullable CallPlace place() {
        return place;
    }

    @Override
    protected final boolean mayShareWith(TensorClaim earlier) {
        CallPlace own = place;
        if (own == null || !(earlier instanceof CallClaim other) || other.place == null) {
            return false;
        }
        CompositeRun enclosing = other.run();
        Object order = order();
        return own.driver() != other.place.driver()
                || enclosing != null && own.isWithin(enclosing.composite())
                || order != null && order == other.order();
    }
}

package io.reactivecomm.bucket;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge of one rank about the plan: which it is, and whether all ranks have it. It decides what the rank's next step begins with.
 *
 * <pre>
 *   nothing ── all agreed ──&gt; a plan ── a bucket of it was reduced ──&gt; the plan of all ranks, for ever
 *      └──── begins by asking ────┘                                       └── begins with bucket 0, and says that it does not ask
 * </pre>
 *
 * <p><b>Steps that fail.</b> One rank's step may fail where another's has succeeded, so after it ranks may know different things. What they can know is
 * bounded. A bucket is reduced only if every rank has begun it, and a rank begins one only when it has the plan. So as long as one rank has no plan, no
 * bucket was reduced anywhere, and all ranks ask. Once a rank does not ask, all have the same plan: whoever asks is told by that rank that it
 * need not, and goes on with its own. Nothing of that depends on how a step failed, or where.
 *
 * <p><b>Threads.</b> A step's worker changes it; any reads it.
 */
final class CommonPlan {

    private volatile @Nullable BucketPlan latest;
    private volatile boolean isCommon;

    /** {@return what this rank agreed to last, which others may not know of; null before that} */
    @Nullable BucketPlan latest() {
        return latest;
    }

    /** {@return the plan of all ranks, which will be no other; null as long as this rank has to ask} */
    @Nullable BucketPlan known() {
        return isCommon() ? latest : null;
    }

    private boolean isCommon() {
        return isCommon;
    }

    /** All ranks have taken part in an agreement on that. */
    void agreed(BucketPlan plan) {
        latest = plan;
    }

    /** {@return the plan of all ranks, after an agreement; where another rank does not ask there has been one before} */
    BucketPlan ofAll() {
        return Objects.requireNonNull(latest, "a rank knows the plan of all ranks, and this one has none");
    }

    /** A bucket has been reduced: all ranks have begun it, so they have its plan. */
    void reduced() {
        isCommon = true;
    }
}

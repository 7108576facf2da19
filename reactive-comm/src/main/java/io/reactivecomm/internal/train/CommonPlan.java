package io.reactivecomm.internal.train;

import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Parameter;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge of one rank about the plan: which it is, and whether all ranks have it. It decides how the rank's next step begins.
 *
 * <pre>
 *   nothing ── all agreed ──&gt; a plan ── a bucket of it was reduced ──&gt; the plan of all ranks, until the end
 *      └──── begins by asking ────┘                                       └── begins with bucket 0, and says that it does not ask
 * </pre>
 *
 * <p><b>Steps that fail.</b> One rank's step may fail where another's has succeeded, so after it ranks may know different things. What they can know is
 * bounded. A bucket is reduced only if every rank has begun it, and a rank begins one only when it has the plan. So while one rank has no plan, no
 * bucket was reduced anywhere, and all ranks ask. Once a rank does not ask, all have the same plan: a rank that asks learns from it that it
 * need not, and continues with its own. None of that depends on how a step failed, or where.
 *
 * <p><b>Threads.</b> One step at a time changes it; any thread reads it.
 */
final class CommonPlan {

    private final BucketOptions options;
    private final int size;
    private final @Nullable BucketPlan registered;
    private volatile @Nullable BucketPlan latest;
    private volatile boolean isCommon;

    /** {@return the knowledge before the first step} @param registered the parameters; null if that step shows them */
    static CommonPlan of(@Nullable List<Parameter> registered, BucketOptions options, int size) {
        if (registered == null) {
            return new CommonPlan(options, size, null);
        }
        return new CommonPlan(options, size, new BucketPlan(registered, options, size));
    }

    private CommonPlan(BucketOptions options, int size, @Nullable BucketPlan registered) {
        this.options = options;
        this.size = size;
        this.registered = registered;
    }

    @Nullable BucketPlan registered() {
        return registered;
    }

    /** {@return the plan of all ranks, which will be no other; null while this rank has to ask} */
    @Nullable BucketPlan known() {
        return isCommon ? latest : null;
    }

    /** {@return whether this rank has agreed before} Other ranks may not know of it. */
    boolean hasAgreed() {
        return latest != null;
    }

    /** All ranks have taken part in an agreement on these parameters. {@return the plan that follows} */
    BucketPlan agreed(List<Parameter> parameters) {
        BucketPlan before = registered == null ? latest : registered;
        boolean isSame = before != null && before.parameters().equals(parameters);
        latest = isSame ? before : new BucketPlan(parameters, options, size);
        return ofAll();
    }

    /** {@return the plan of all ranks, after an agreement; if another rank does not ask there has been one before} */
    BucketPlan ofAll() {
        return Objects.requireNonNull(latest, "another rank knows the plan of all ranks, and this one has none");
    }

    /** {@return the parameters that a first step has shown, in the order of an earlier agreement if there was one on the same} */
    List<Parameter> inOrder(List<Parameter> shown) {
        BucketPlan before = latest;
        return before != null && Set.copyOf(before.parameters()).equals(Set.copyOf(shown))
                ? before.parameters()
                : shown;
    }

    /** A bucket has been reduced: all ranks have begun it, so they have its plan. */
    void reduced() {
        isCommon = true;
    }
}

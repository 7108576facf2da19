package io.reactivecomm.internal.train;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.train.Agreement.Registration;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Parameter;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

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

    /**
     * {@return the plan of all ranks, which this one asks for}
     *
     * @param shown the parameters that a first step has shown, in the order of arrival; null if they are registered
     * @param step the group for the step's calls
     */
    Mono<BucketPlan> asked(@Nullable List<Parameter> shown, ProcessGroup step) {
        BucketPlan own = shown == null || isLatest(shown) ? plan() : null;
        List<Parameter> parameters = own == null ? Objects.requireNonNull(shown) : own.parameters();
        Registration registration = Registration.of(parameters, shown == null, options);
        return Agreement.on(registration, latest != null, step)
                .doOnNext(agreed -> latest =
                        own != null && own.parameters().equals(agreed) ? own : new BucketPlan(agreed, options, size))
                // Without parameters there was a rank that did not ask: there has been an agreement before.
                .then(Mono.fromSupplier(this::plan));
    }

    /** {@return whether there was an agreement on these parameters, in any order} */
    private boolean isLatest(List<Parameter> shown) {
        BucketPlan before = latest;
        return before != null && Set.copyOf(before.parameters()).equals(Set.copyOf(shown));
    }

    /** {@return the plan that this rank has: the registered one, or the one that was agreed on} */
    BucketPlan plan() {
        BucketPlan own = registered == null ? latest : registered;
        return Objects.requireNonNull(own, "another rank knows the plan of all ranks, and this one has none");
    }

    /** A bucket has been reduced: all ranks have begun it, so they have its plan. */
    void reduced() {
        isCommon = true;
    }
}

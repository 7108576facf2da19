package io.reactivecomm.hook;

import io.reactivecomm.Located;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Makes the hooks of data and model parallelism: each all-reduces every gradient, in place, over a group.
 *
 * <p>A gradient's call carries the gradient's name ({@link ProcessGroup#named}), so ranks may hand gradients over in different orders, and
 * errors say which it was. All ranks of the group hand over the same names; one that misses is waited for until the deadline.
 *
 * <p><b>Errors.</b> {@link io.reactivecomm.InvalidCallException} for a gradient that a hook or buckets before have reduced over the same ranks,
 * two or more: its sum would be a multiple. Over groups of other ranks hooks follow each other as they please.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ParallelHooks {

    private ParallelHooks() {}

    /** As {@link #dataParallel(ProcessGroup, Reduction)}, averaging. */
    public static GradientHook dataParallel(ProcessGroup group) {
        return dataParallel(group, ReduceOp.AVG);
    }

    /**
     * {@return a hook for ranks that hold the same parameters and have seen different samples}
     *
     * @param op AVG where each rank's gradient is a mean over as many samples; SUM where it is a sum, and the framework divides
     */
    public static GradientHook dataParallel(ProcessGroup group, Reduction op) {
        ProcessGroup here = Located.here(group);
        return ready -> reduced(ready, here, op);
    }

    /**
     * {@return a hook for ranks that each hold a part of the computation and have a partial sum of the gradient, as with parameters that
     * tensor-parallel ranks share}
     * It adds the partial sums.
     */
    public static GradientHook modelParallel(ProcessGroup group) {
        return dataParallel(group, ReduceOp.SUM);
    }

    /** All calls are under way at once: with a limit, ranks whose first gradients differ would wait for each other for ever. */
    private static Flux<Gradient> reduced(Flux<Gradient> ready, ProcessGroup group, Reduction op) {
        return ReducingPass.over(group, group, pass -> ready.flatMapDelayError(
                        gradient -> Mono.defer(() -> {
                                    pass.enter(gradient);
                                    return group.named(gradient.name()).allReduce(gradient.tensor(), op);
                                })
                                .thenReturn(gradient),
                        Integer.MAX_VALUE,
                        1)
                .onErrorMap(Exceptions::isMultiple, GradientHooks::first));
    }
}

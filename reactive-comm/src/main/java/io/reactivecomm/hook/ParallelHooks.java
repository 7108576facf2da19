package io.reactivecomm.hook;

import io.reactivecomm.Located;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import java.util.Objects;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Operators;

/**
 * Makes the hooks of data and model parallelism: each all-reduces every gradient, in place, over a group.
 *
 * <p>A gradient's call carries the gradient's name ({@link ProcessGroup#named}), so ranks may hand gradients over in different orders, and
 * errors say which it was. All ranks of the group hand over the same names.
 *
 * <p><b>One composite call.</b> The calls of a step are one {@linkplain ProcessGroup#composite composite call} of the group, which takes its place when
 * the hook is applied, in each step of {@link GradientHooks#run} anew. It begins when the hook's {@code Flux} is subscribed to, before the gradients'
 * own is; if another rank has ended the step before, that one is not subscribed to. Cancelling ends it here: who waits, then or later, for a call
 * that was not made here fails with a {@link io.reactivecomm.GroupClosedException}, and who needs no more completes.
 *
 * <p><b>Deadline.</b> Each gradient's call has the view's, from when it begins: user code takes its time.
 *
 * <p><b>Errors.</b> An error of the gradients' {@code Flux} fails the step on every rank that has not finished it, in a round trip: the others get an
 * {@link io.reactivecomm.InvalidCallException} that names it, or a {@link io.reactivecomm.CommException} as it is. A name that this rank does not hand
 * over, once all of its gradients have come, is a {@link io.reactivecomm.MismatchException} for those who did. The next step is not touched by any of that.
 * {@link io.reactivecomm.InvalidCallException} for a gradient that a hook or buckets before have reduced over the same ranks, two or more: its sum
 * would be a multiple; and for one that shares memory with another gradient of the step. Over groups of other ranks hooks follow each other as they please.
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
        Objects.requireNonNull(
                op, () -> "a hook has no reduction: group=" + group + "; give one, such as ReduceOp.AVG");
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

    private static Flux<Gradient> reduced(Flux<Gradient> ready, ProcessGroup group, Reduction op) {
        Flux<Object> composite = ReducingPass.composite(group, HookStep.OPERATION);
        return new FluxOperator<Gradient, Gradient>(ready) {
            @Override
            public void subscribe(CoreSubscriber<? super Gradient> subscriber) {
                ReducingPass pass = ReducingPass.of(composite, group, subscriber.currentContext());
                if (pass.comesAgain() || !pass.begins()) {
                    pass.leaveChain();
                    Operators.error(subscriber, pass.repetition());
                } else {
                    HookStep.begin(pass, op, composite, ready, subscriber);
                }
            }
        };
    }
}

package io.reactivecomm.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Located;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The hooks of data and model parallelism: each all-reduces every dense gradient, in place, over a group.
 *
 * <p>A gradient's call carries the gradient's name, so ranks may produce gradients in different orders, and errors say which one it was.
 *
 * <p><b>Missing gradients.</b> All ranks of the group produce the same names. These hooks have no registration, so a name that only some ranks produce in a step is a
 * {@link io.reactivecomm.MismatchException} on those, once the pass of another rank has ended. Take gradient buckets for models whose parameters are not all used
 * in each step.
 *
 * <p><b>Deadline.</b> Each gradient's call has the deadline of the group's view, from when it begins.
 *
 * <p><b>Errors.</b> {@link InvalidCallException} for a sparse gradient; for one that another hook of the step has reduced over the same ranks, since its sum
 * would be a multiple; and for one that shares memory with another gradient of the step. Any of them fails the step on all ranks.
 *
 * <p><b>Cost.</b> One all-reduce for each gradient.
 *
 * <p><b>Threads.</b> Any. The hooks have no state, and may be registered with several runners.
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
        return new EachGradient(here, op);
    }

    /**
     * {@return a hook for ranks that each hold a part of the computation and have a partial sum of the gradient, as with parameters that
     * tensor-parallel ranks share}
     * It adds the partial sums.
     */
    public static GradientHook modelParallel(ProcessGroup group) {
        return dataParallel(group, ReduceOp.SUM);
    }

    /** A hook that makes one call for each gradient. */
    private record EachGradient(ProcessGroup group, Reduction op) implements GradientHook {

        @Override
        public Mono<Gradient> apply(Gradient gradient, StepView step) {
            if (gradient.rows() != null) {
                throw new InvalidCallException("a sparse gradient has no all-reduce of its own: name=" + gradient.name()
                        + ", rows=" + gradient.rows() + "; take GradientBuckets, or hand over a dense gradient");
            }
            step.reduces(gradient.name());
            return step.group()
                    .named(gradient.name())
                    .allReduce(gradient.tensor(), op)
                    .thenReturn(gradient);
        }

        /** Its calls are all made by now, and wait for other ranks' gradients. */
        @Override
        public Flux<Gradient> passEnded(StepView step) {
            step.noFurtherCalls();
            return Flux.empty();
        }

        @Override
        public HookScope scope() {
            return HookScope.all(group);
        }

        @Override
        public String label() {
            return "gradients, each by all-reduce(" + op + ")";
        }
    }
}

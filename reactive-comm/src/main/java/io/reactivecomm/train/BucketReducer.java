package io.reactivecomm.train;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A reduction of whole buckets in place of the all-reduce, by calls of its own: compressed, over two levels of machines, or by another algorithm. Buckets get it
 * from {@link BucketOptions#withReducer}.
 *
 * <pre>{@code
 * public Mono<Work> reduce(ProcessGroup group, Bucket bucket) {                          // over two levels of machines
 *     return group.within(host).allReduce(bucket.tensor(), bucket.reduction())
 *             .then(group.within(acrossHosts).allReduce(bucket.tensor(), bucket.reduction()));
 * }
 * }</pre>
 *
 * <p><b>Missing gradients.</b> A gradient that some rank had and this one lacks is zeros in this rank's bucket, and is reduced as usual. A range whose gradient no
 * rank had ({@link Bucket#present}) comes back nowhere: a reducer with an error feedback must leave the residual of that range as it is.
 *
 * <p><b>Finished ranks.</b> A rank without inputs ({@link Bucket#isFinished}) contributes zeros, and not what it has lost in earlier steps: a reducer leaves that residual as it is. A residual of sums, which a
 * rank keeps for all, continues.
 *
 * <p><b>Errors.</b> An exception of {@link #reduce}, or an error of its {@code Mono}, ends the step on all ranks. A fatal error that is thrown later on a thread of the
 * reducer's own is lost; the deadline then ends the step.
 *
 * <p><b>Deadline.</b> That of the buckets' view, from the beginning of the bucket, user code included. On the rank whose reducer has not ended it is a
 * {@link io.reactivecomm.CommTimeoutException}.
 *
 * <p><b>Buffers.</b> The bucket's tensor belongs to the reducer until its {@code Mono} ends. A reducer whose code may run beyond the deadline borrows it
 * ({@link Tensor#borrow}): otherwise it might write into memory that has another owner by then.
 *
 * <p><b>Threads.</b> {@link #reduce} is called on the thread that begins the bucket's composite call, usually a worker of the buckets; results of calls come on
 * the group's loop. Long work goes to another thread.
 */
public interface BucketReducer {

    /**
     * A bucket of one step.
     *
     * @param index its number in the plan
     * @param parameters those whose gradients lie in it, in this order, without gaps; the same on all ranks
     * @param tensor the gradients, of one dimension, which the result replaces; borrowed until results have left it. A gradient that this rank lacks is zeros,
     *     unless its home was {@linkplain Gradient#kept kept}
     * @param reduction {@code SUM}, {@code AVG} or a {@code PreMulSum}, by the {@link Scaling}; {@code SUM} if packing has converted and scaled the gradients
     * @param present for each parameter, whether at least one rank had its gradient; the same on all ranks. With {@link MissingGradients#LEFT_OUT}, where ranks do not
     *     ask each other, all are true
     * @param isFinished whether this rank has no input for the step, and takes part in a step of others ({@link GradientHooks#finished}): its elements are zeros
     */
    record Bucket(
            int index,
            List<Parameter> parameters,
            Tensor tensor,
            Reduction reduction,
            List<Boolean> present,
            boolean isFinished) {

        /** A bucket of a rank that has an input for the step. */
        public Bucket(
                int index, List<Parameter> parameters, Tensor tensor, Reduction reduction, List<Boolean> present) {
            this(index, parameters, tensor, reduction, present, false);
        }

        public Bucket {
            Objects.requireNonNull(parameters, "parameters");
            Objects.requireNonNull(tensor, "tensor");
            Objects.requireNonNull(reduction, "reduction");
            Objects.requireNonNull(present, "present");
            parameters = List.copyOf(parameters);
            present = List.copyOf(present);
            if (present.size() != parameters.size()) {
                throw new IllegalArgumentException("a bucket's presence does not fit its parameters: bucket=" + index
                        + ", parameters=" + parameters.size() + ", present=" + present.size()
                        + "; give one for each parameter");
            }
        }
    }

    /** {@return its name and its settings in a few words, for errors} Ranks compare it. */
    String label();

    /** {@return the reason why it does not reduce elements of a type, for an error; null if it does} The same on all ranks. */
    default @Nullable String refusal(DType type) {
        return null;
    }

    /**
     * {@return whether it reaches the memory of a device's buckets only by the group's calls, moves and kernels} The device orders those, so the reducer may begin
     * while the bucket is still being packed there. A reducer that does anything else, such as launching kernels of its own, waits for the packing.
     */
    default boolean isOrderedByDevices() {
        return false;
    }

    /**
     * Reduces a bucket.
     *
     * @param group a view of the group for the calls of this bucket, which are one {@linkplain ProcessGroup#composite composite call}: the same on all ranks
     * @return ends when the bucket has its result, perhaps without a {@link Work}; if that has a handle, the result is there when the handle completes
     */
    Mono<Work> reduce(ProcessGroup group, Bucket bucket);

    /**
     * Called when all buckets of a step are reduced on this rank, before the next step begins. The step may still fail on another rank. Reducers with state
     * make decisions here that depend on several buckets. A reducer that wraps another one passes the call on.
     *
     * @param buckets the numbers of all buckets that were given to {@link #reduce}
     */
    default void ended(List<Integer> buckets) {
        // Most have nothing to decide.
    }
}

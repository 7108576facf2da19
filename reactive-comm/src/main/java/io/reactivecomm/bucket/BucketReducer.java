package io.reactivecomm.bucket;

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
 * A reduction of whole buckets in the all-reduce's place, by calls of its own: compressed, over two levels of machines, or by another algorithm. Given to
 * buckets by {@link BucketOptions#withReducer}.
 *
 * <pre>{@code
 * public Mono<Work> reduce(ProcessGroup group, Bucket bucket) {                          // over two levels of machines
 *     return group.within(host).allReduce(bucket.tensor(), bucket.reduction())
 *             .then(group.within(acrossHosts).allReduce(bucket.tensor(), bucket.reduction()));
 * }
 * }</pre>
 *
 * <p><b>Errors.</b> What {@link #reduce} throws or its {@code Mono} fails with ends the step, on all ranks. What is fatal to the JVM and thrown later, on a thread of the reducer's own, is
 * nobody's: then the deadline ends it.
 *
 * <p><b>Deadline.</b> That of the buckets' view, from when the bucket begins, user code included; a {@link io.reactivecomm.CommTimeoutException} on the rank whose reducer has not ended.
 *
 * <p><b>Buffers.</b> The bucket's tensor is the reducer's until its {@code Mono} ends. One whose code may go on beyond the deadline borrows it ({@link Tensor#borrow}), or it may write
 * into memory that is another's.
 *
 * <p><b>Threads.</b> {@link #reduce} is called on the thread that begins the bucket's composite call, a worker of the buckets as a rule; results of calls come on
 * the group's loop. Long work goes to another thread.
 */
public interface BucketReducer {

    /**
     * A bucket of one step.
     *
     * @param index its number in the plan
     * @param parameters whose gradients lie in it, one behind the other; the same on all ranks
     * @param tensor the gradients, of one dimension, which the result replaces; borrowed until results have left it. A gradient that did not come is zeros
     * @param reduction {@code SUM}, {@code AVG} or a {@code PreMulSum}, by the {@link Scaling}; {@code SUM} if packing has converted and scaled the gradients
     */
    record Bucket(int index, List<Parameter> parameters, Tensor tensor, Reduction reduction) {

        public Bucket {
            Objects.requireNonNull(parameters, "parameters");
            Objects.requireNonNull(tensor, "tensor");
            Objects.requireNonNull(reduction, "reduction");
            parameters = List.copyOf(parameters);
        }
    }

    /** {@return its name with what it was made with, in a few words: ranks compare it, and it stands in errors} */
    String label();

    /** {@return why it does not reduce elements of that type, for an error; null if it does} The same on all ranks. */
    default @Nullable String refusal(DType type) {
        return null;
    }

    /**
     * {@return whether it reaches the memory of a device's buckets only by the group's calls, moves and kernels} Those are ordered by the device itself, so it may begin while the bucket
     * is still being packed there; one that does anything else, such as launching kernels of its own, has to wait for that.
     */
    default boolean isOrderedByDevices() {
        return false;
    }

    /**
     * Reduces a bucket.
     *
     * @param group the group, or a view of it, for the calls of this bucket, which are a {@linkplain ProcessGroup#composite composite call} of its own: the
     *     same on all ranks
     * @return the end: when the bucket has its result, or, with a {@link Work} that has a handle, when that completes
     */
    Mono<Work> reduce(ProcessGroup group, Bucket bucket);

    /**
     * Called when all buckets of a step are reduced on this rank, before the next step begins. The step may still fail on another rank. Reducers with a state
     * make decisions here that depend on several buckets. A reducer that wraps another one calls it, too.
     *
     * @param buckets the numbers of all buckets that were given to {@link #reduce}
     */
    default void ended(List<Integer> buckets) {
        // Most have nothing to settle.
    }
}

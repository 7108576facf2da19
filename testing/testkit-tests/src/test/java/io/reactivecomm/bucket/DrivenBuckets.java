package io.reactivecomm.bucket;

import io.reactivecomm.DType;
import io.reactivecomm.Handle;
import io.reactivecomm.Move;
import io.reactivecomm.Tensor;
import io.reactivecomm.bucket.BucketPlan.Bucket;
import io.reactivecomm.kernel.HostMoves;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongFunction;

/** One rank's {@link GradientBuckets} without Reactor and threads, for a simulator to drive: all but what ranks say of their gradients as they agree. */
public final class DrivenBuckets {

    /** Nothing is enqueued here. */
    private static final Duration NEVER = Duration.ofDays(1);

    private final BucketPlan plan;
    private final BucketOptions options;
    private final int size;
    private final StepQueue turns;
    private final CommonPlan common = new CommonPlan();
    private final FlatBuffers buffers;
    private final List<Cargo> cargo;

    /**
     * A gradient's place in its bucket.
     *
     * @param from the element that it begins with
     */
    public record Stowed(Parameter parameter, long from) {}

    /** The content of one bucket. */
    public record Cargo(DType type, long count, List<Stowed> gradients) {}

    /**
     * Plans the buckets of a group of that size.
     *
     * @param memory allocates a flat buffer of so many bytes
     * @param executor where steps begin that had to wait for their turns
     */
    public DrivenBuckets(
            List<Parameter> parameters,
            BucketOptions options,
            int size,
            LongFunction<Tensor> memory,
            Executor executor) {
        this.plan = new BucketPlan(parameters, options, size);
        this.options = options;
        this.size = size;
        this.turns = new StepQueue(executor);
        this.buffers = new FlatBuffers((device, bytes) -> memory.apply(bytes));
        this.cargo = plan.buckets().stream().map(DrivenBuckets::cargo).toList();
    }

    /** {@return what lies where, in the order of the buckets} */
    public List<Cargo> cargo() {
        return cargo;
    }

    private static Cargo cargo(Bucket bucket) {
        List<Stowed> gradients = bucket.places().stream()
                .map(place -> new Stowed(place.parameter(), place.from()))
                .toList();
        return new Cargo(bucket.type(), bucket.count(), gradients);
    }

    /** {@return one step, which begins when it is told to} */
    public DrivenStep step(DrivenStep.Surroundings around, int worldRank) {
        return new DrivenStep(this, around, worldRank);
    }

    StepProgress progress() {
        return new StepProgress(plan, options.order());
    }

    List<Flight> flights(BucketPlan plan) {
        return plan.buckets().stream()
                .<Flight>map(bucket -> new InFlightBucket(bucket, options, size, NEVER, DrivenBuckets::moved))
                .toList();
    }

    private static Handle moved(List<Move> moves) {
        HostMoves.run(moves);
        return Handle.DONE;
    }

    InFlightBuckets flights(StepProgress step, List<Flight> all, BorrowedGradients borrowed) {
        return new InFlightBuckets(step, all, buffers, borrowed);
    }

    StepQueue turns() {
        return turns;
    }

    /** Steps before have shown that all ranks have the plan. */
    public void haveReduced() {
        common.agreed(plan);
        common.reduced();
    }

    CommonPlan common() {
        return common;
    }

    /** All ranks have it. */
    BucketPlan agree() {
        common.agreed(plan);
        return plan;
    }
}

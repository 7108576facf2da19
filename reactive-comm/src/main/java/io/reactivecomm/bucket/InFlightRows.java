package io.reactivecomm.bucket;

import io.reactivecomm.DType;
import io.reactivecomm.Handle;
import io.reactivecomm.Move;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.bucket.BucketPlan.Bucket;
import io.reactivecomm.bucket.BucketPlan.Slot;
import io.reactivecomm.hook.Gradient;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The bucket of one sparse gradient: its rows are reduced where they are, into rows of their own.
 *
 * <p><b>Threads.</b> As {@link Flight}.
 */
final class InFlightRows implements Flight {

    private final Bucket bucket;
    private final Scaling scaling;
    private final ProcessGroup group;
    private final Function<List<Move>, Handle> moving;
    private @Nullable SparseTensor contributed;
    /** Where nothing came here, what is contributed in its place. */
    private @Nullable SparseTensor nothing;
    /** Written by whoever hears of the call, before the worker does. */
    private volatile @Nullable SparseTensor sum;

    /**
     * @param group has the memory of devices
     * @param moving does moves, or enqueues them
     */
    InFlightRows(Bucket bucket, Scaling scaling, ProcessGroup group, Function<List<Move>, Handle> moving) {
        this.bucket = bucket;
        this.scaling = scaling;
        this.group = group;
        this.moving = moving;
    }

    @Override
    public Bucket bucket() {
        return bucket;
    }

    @Override
    public String operation() {
        return "bucket " + bucket.index() + " of rows";
    }

    private Slot place() {
        return bucket.places().getFirst();
    }

    @Override
    public boolean load(StepProgress step, FlatBuffers buffers, @Nullable GradientArena storage) {
        Gradient gradient = step.at(place());
        SparseTensor came = gradient == null ? null : gradient.rows();
        if (came == null) {
            nothing = noRows();
        }
        contributed = came == null ? nothing : came;
        return true;
    }

    @Override
    public @Nullable Mono<Void> loaded() {
        return null;
    }

    private SparseTensor noRows() {
        Parameter parameter = place().parameter();
        long[] shape = parameter.shape().stream().mapToLong(Long::longValue).toArray();
        long rows = shape[0];
        shape[0] = 0;
        return new SparseTensor(
                Tensor.allocate(DType.INT64, 0), group.allocate(parameter.device(), parameter.type(), shape), rows);
    }

    @Override
    public boolean isReducedByOthers() {
        return false;
    }

    @Override
    public Mono<Work> reduce(ProcessGroup inside) {
        SparseTensor own = contributed;
        if (own == null) {
            throw new IllegalStateException("rows were reduced before they were there: bucket=" + bucket.index());
        }
        return inside.sparseAllReduce(own, scaling.reduction(group.size()))
                .doOnNext(result -> sum = result)
                .then(Mono.empty());
    }

    @Override
    public void reduced(Work work) {
        throw new IllegalStateException("rows have another result: work=" + work);
    }

    @Override
    public @Nullable Mono<Void> unload(StepProgress step) {
        SparseTensor result = sum;
        double factor = scaling.lastFactor(group.size());
        if (factor == 1 || result == null) {
            return null;
        }
        Handle scaled = moving.apply(List.of(Move.scaled(result.values(), result.values(), factor)));
        return scaled == Handle.DONE ? null : scaled.completed();
    }

    @Override
    public void bring(StepProgress step) {
        SparseTensor result = sum;
        if (result == null || step.at(place()) == null) {
            discard();
        } else {
            step.replace(place(), Gradient.sparse(place().parameter().name(), result));
        }
    }

    @Override
    public void discard() {
        close(sum);
    }

    @Override
    public void letGo(FlatBuffers buffers, boolean isReduced) {
        close(nothing);
        nothing = null;
    }

    private static void close(@Nullable SparseTensor rows) {
        if (rows != null) {
            rows.close();
        }
    }
}

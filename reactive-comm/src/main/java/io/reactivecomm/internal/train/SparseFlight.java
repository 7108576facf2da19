package io.reactivecomm.internal.train;

import io.reactivecomm.DType;
import io.reactivecomm.Handle;
import io.reactivecomm.Move;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.internal.train.BucketPlan.Bucket;
import io.reactivecomm.internal.train.BucketPlan.Slot;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.Parameter;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The bucket of one sparse gradient: its rows are reduced in their own memory, into new rows.
 *
 * <p><b>Threads.</b> As {@link Flight}.
 */
final class SparseFlight implements Flight {

    private final Bucket bucket;
    private final Buckets buckets;
    private final Gradients gradients;
    /** The empty rows of a rank without the gradient. */
    private @Nullable SparseTensor nothing;
    /** Written on the thread that has the result, before the call's end is signalled. */
    private volatile @Nullable SparseTensor sum;

    SparseFlight(Bucket bucket, Buckets buckets, Gradients gradients) {
        this.bucket = bucket;
        this.buckets = buckets;
        this.gradients = gradients;
    }

    @Override
    public Bucket bucket() {
        return bucket;
    }

    private Slot slot() {
        return bucket.places().getFirst();
    }

    private @Nullable SparseTensor own() {
        Gradient gradient = gradients.at(slot().index());
        return gradient == null ? nothing : gradient.rows();
    }

    @Override
    public boolean takeMemory() {
        if (gradients.at(slot().index()) == null) {
            nothing = noRows(slot().parameter());
        }
        return true;
    }

    private SparseTensor noRows(Parameter parameter) {
        long[] shape = parameter.shape().stream().mapToLong(Long::longValue).toArray();
        long rows = shape[0];
        shape[0] = 0;
        return new SparseTensor(
                Tensor.allocate(DType.INT64, 0),
                buckets.group().allocate(parameter.device(), parameter.type(), shape),
                rows);
    }

    @Override
    public List<Move> packing() {
        return List.of();
    }

    @Override
    public void packed(Handle handle) {
        // There is no packing.
    }

    @Override
    public @Nullable Mono<Void> packed() {
        return null;
    }

    @Override
    public Mono<Work> reduce(ProcessGroup inside, Mono<byte[]> present) {
        return inside.named("bucket." + bucket.index())
                .sparseAllReduce(
                        Objects.requireNonNull(own()),
                        buckets.options().scaling().reduction(buckets.group().size()))
                .doOnNext(result -> sum = result)
                .then(Mono.empty());
    }

    @Override
    public void reduced(Work work) {
        throw new IllegalStateException("rows have another result: work=" + work);
    }

    @Override
    public List<Move> unpacking(byte[] present) {
        Tensor values = Objects.requireNonNull(sum).values();
        double factor = buckets.options().scaling().lastFactor(buckets.group().size());
        return present[0] == 0 || factor == 1 ? List.of() : List.of(Move.scaled(values, values, factor));
    }

    @Override
    public @Nullable Mono<Void> end(Handle unpacked) {
        return unpacked == Handle.DONE ? null : unpacked.completed();
    }

    @Override
    public void letGo(boolean isReduced) {
        close(nothing);
        nothing = null;
    }

    /** {@return the sum} It is the receiver's from now on. */
    @Override
    public Gradient result(Slot slot) {
        SparseTensor result = Objects.requireNonNull(sum);
        sum = null;
        return Gradient.sparse(slot.parameter().name(), result);
    }

    @Override
    public void discard() {
        close(sum);
        sum = null;
    }

    private static void close(@Nullable SparseTensor rows) {
        if (rows != null) {
            rows.close();
        }
    }
}

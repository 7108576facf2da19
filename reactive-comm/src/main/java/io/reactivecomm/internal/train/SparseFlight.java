package io.reactivecomm.internal.train;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import io.reactivecomm.internal.train.BucketPlan.Bucket;
import io.reactivecomm.internal.train.BucketPlan.Place;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.Parameter;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The bucket of one sparse gradient: its rows are reduced in their own memory, into new rows. */
final class SparseFlight extends Flight {

    /** The empty rows of a rank without the gradient. */
    private @Nullable SparseTensor nothing;
    /** Written on the thread that has the result, before the call's end is signalled. */
    private volatile @Nullable SparseTensor sum;

    SparseFlight(Bucket bucket, Buckets buckets, BucketStep step, PlannedGradients gradients) {
        super(bucket, buckets, step, gradients);
    }

    private @Nullable Gradient own() {
        return gradients.at(bucket.places().getFirst().index());
    }

    @Override
    boolean takeMemory() {
        if (own() == null) {
            Parameter parameter = bucket.places().getFirst().parameter();
            long[] shape = BucketMemory.shape(parameter);
            long rows = shape[0];
            shape[0] = 0;
            nothing = new SparseTensor(
                    Tensor.allocate(DType.INT64, 0),
                    buckets.group.allocate(parameter.device(), parameter.type(), shape),
                    rows);
        }
        return true;
    }

    @Override
    List<Move> packing() {
        return List.of();
    }

    @Override
    Mono<Work> reduction(ProcessGroup inside, Mono<byte[]> present) {
        Gradient gradient = own();
        return inside.named("bucket." + bucket.index())
                .sparseAllReduce(Objects.requireNonNull(gradient == null ? nothing : gradient.rows()), asked())
                .doOnNext(result -> sum = result)
                .then(Mono.empty());
    }

    @Override
    Handle end(Work work) {
        return work.handle();
    }

    @Override
    List<Move> unpacking(byte[] present) {
        Tensor values = Objects.requireNonNull(sum).values();
        double factor = lastFactor();
        return present[0] == 0 || factor == 1 ? List.of() : List.of(Move.scaled(values, values, factor));
    }

    @Override
    void release(boolean isReduced) {
        close(nothing);
        nothing = null;
    }

    /** {@return the sum} It is the receiver's from now on. */
    @Override
    Gradient result(Place place) {
        SparseTensor result = Objects.requireNonNull(sum);
        sum = null;
        return Gradient.sparse(place.parameter().name(), result);
    }

    @Override
    void discard() {
        close(sum);
        sum = null;
    }

    private static void close(@Nullable SparseTensor rows) {
        if (rows != null) {
            rows.close();
        }
    }
}

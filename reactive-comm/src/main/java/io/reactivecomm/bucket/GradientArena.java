package io.reactivecomm.bucket;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.bucket.BucketPlan.Bucket;
import io.reactivecomm.bucket.BucketPlan.Slot;
import io.reactivecomm.hook.Gradient;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory for all buckets at once, in which gradients live. Immutable.
 *
 * @param plan says what lies where
 * @param buckets a tensor for each bucket
 * @param gradients the views of them, in the order of the parameters
 */
record GradientArena(BucketPlan plan, List<Tensor> buckets, List<Gradient> gradients) implements AutoCloseable {

    /**
     * Allocates it, zeroed.
     *
     * @throws CommException if there is not so much memory
     */
    static GradientArena of(BucketPlan plan, ProcessGroup group) {
        List<Tensor> buckets = new ArrayList<>();
        try {
            plan.buckets()
                    .forEach(bucket -> buckets.add(group.allocate(bucket.device(), bucket.type(), bucket.count())));
        } catch (OutOfMemoryError e) {
            buckets.forEach(Tensor::close);
            throw new CommException(
                    "gradients got no memory to live in: buckets="
                            + plan.buckets().size() + ", allocated=" + buckets.size()
                            + "; free memory, or keep the gradients in tensors of their own",
                    e);
        }
        return new GradientArena(
                plan,
                buckets,
                plan.places().stream().map(place -> gradient(place, buckets)).toList());
    }

    private static Gradient gradient(Slot place, List<Tensor> buckets) {
        Parameter parameter = place.parameter();
        return new Gradient(parameter.name(), buckets.get(place.bucket()).slice(place.from(), parameter.count()));
    }

    Tensor of(Bucket bucket) {
        return buckets.get(bucket.index());
    }

    @Override
    public void close() {
        buckets.forEach(Tensor::close);
    }
}

package io.reactivecomm.internal.train;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLife;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.Parameter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Memory for all buckets at once, in which gradients have their homes. Immutable.
 *
 * @param buckets a tensor for each bucket
 * @param gradients the views of them, in the order of the parameters
 * @param lives those of the buckets
 */
record GradientHomes(List<Tensor> buckets, List<Gradient> gradients, Set<TensorLife> lives) {

    /** Allocates it, zeroed. @throws CommException if there is not so much memory */
    static GradientHomes of(BucketPlan plan, ProcessGroup group) {
        List<Tensor> buckets = new ArrayList<>();
        try {
            plan.buckets()
                    .forEach(bucket ->
                            buckets.add(BucketMemory.allocate(group, bucket.device(), bucket.type(), bucket.count())));
        } catch (CommException e) {
            buckets.forEach(Tensor::close);
            throw e;
        }
        return new GradientHomes(
                buckets,
                plan.places().stream().map(place -> home(place, buckets)).toList(),
                buckets.stream()
                        .flatMap(bucket -> Stream.ofNullable(bucket.life()))
                        .collect(Collectors.toCollection(() -> Collections.newSetFromMap(new IdentityHashMap<>()))));
    }

    private static Gradient home(BucketPlan.Place place, List<Tensor> buckets) {
        Parameter parameter = place.parameter();
        return new Gradient(parameter.name(), buckets.get(place.bucket()).slice(place.from(), parameter.count()));
    }

    /** {@return whether a tensor is in this memory, and not in the home of that gradient} */
    boolean isMisplaced(BucketPlan.Place place, Tensor tensor) {
        Tensor home = gradients.get(place.index()).tensor();
        return tensor != home && lives.contains(tensor.life()) && tensor.address() != home.address();
    }
}

package io.reactivecomm.bucket;

import io.reactivecomm.bucket.BucketPlan.Bucket;
import org.jspecify.annotations.Nullable;

/** Planted in place of the order in which buckets begin. */
public final class WrongOrder {

    private WrongOrder() {}

    /** {@return the first bucket that is whole, of those that would not have begun in order} */
    public static @Nullable Bucket whole(Object step) {
        StepProgress of = (StepProgress) step;
        return of.plan().buckets().stream()
                .skip(of.begunCount())
                .filter(of::isWhole)
                .findFirst()
                .orElse(null);
    }
}

package io.reactivecomm.train;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The way in which gradients are fused and reduced; the same on all ranks, except for {@code order} and {@code isPrioritized}, which each rank chooses.
 *
 * @param bucketBytes the size of a bucket at most, unless a single gradient is larger
 * @param firstBucketBytes the size of the first bucket of each type at most: the smaller, the sooner communication begins
 * @param scaling of the sum over ranks
 * @param communicationType the type to which floating-point gradients are converted for their call; null to leave each type as it is
 * @param order in which results come back
 * @param isPrioritized whether a later bucket's bytes are sent before an earlier one's: a bucket's number is added to the priority of the group.
 *     The backward pass ends with the parameters that the next forward pass begins with, so this pays where that pass takes gradients one by one as they come
 * @param reducer reduces buckets; null for an all-reduce. Ranks compare its {@linkplain BucketReducer#label label}
 * @param missing the treatment of parameters whose gradient only some ranks have
 */
public record BucketOptions(
        long bucketBytes,
        long firstBucketBytes,
        Scaling scaling,
        @Nullable DType communicationType,
        ResultOrder order,
        boolean isPrioritized,
        @Nullable BucketReducer reducer,
        MissingGradients missing) {

    /** 25 MiB, which torch's DistributedDataParallel has found to hide latency and still leave buckets to overlap. */
    public static final long BUCKET_BYTES = 25L << 20;

    /** 1 MiB, as there. */
    public static final long FIRST_BUCKET_BYTES = 1L << 20;

    /** An average of gradients in their own types, each emitted when it is done, on all ranks. */
    public static final BucketOptions DEFAULT = new BucketOptions(
            BUCKET_BYTES,
            FIRST_BUCKET_BYTES,
            Scaling.AVERAGE,
            null,
            ResultOrder.COMPLETION,
            false,
            null,
            MissingGradients.RETURNED);

    public BucketOptions {
        Objects.requireNonNull(scaling, "buckets have no scaling; give one, such as Scaling.AVERAGE");
        Objects.requireNonNull(order, "buckets have no order of results; give one, such as ResultOrder.COMPLETION");
        Objects.requireNonNull(
                missing, "buckets have no treatment of missing gradients; give one, such as MissingGradients.RETURNED");
        if (bucketBytes <= 0 || firstBucketBytes <= 0) {
            throw new InvalidCallException("a bucket has no room: bucketBytes=" + bucketBytes + ", firstBucketBytes="
                    + firstBucketBytes + "; give positive sizes");
        }
        if (communicationType != null && communicationType.family() != DType.Family.FLOAT) {
            throw new InvalidCallException("gradients cannot travel in this type: communicationType="
                    + communicationType + "; give FLOAT16, BFLOAT16, FLOAT32 or FLOAT64");
        }
    }

    /** {@return these options with that size for all buckets; the first keeps its own if that is smaller} */
    public BucketOptions withBucketBytes(long bytes) {
        return new BucketOptions(
                bytes,
                Math.min(bytes, firstBucketBytes),
                scaling,
                communicationType,
                order,
                isPrioritized,
                reducer,
                missing);
    }

    public BucketOptions withFirstBucketBytes(long bytes) {
        return new BucketOptions(
                bucketBytes, bytes, scaling, communicationType, order, isPrioritized, reducer, missing);
    }

    public BucketOptions withScaling(Scaling value) {
        return new BucketOptions(
                bucketBytes, firstBucketBytes, value, communicationType, order, isPrioritized, reducer, missing);
    }

    /** @param type null to leave each gradient's type as it is */
    public BucketOptions withCommunicationType(@Nullable DType type) {
        return new BucketOptions(bucketBytes, firstBucketBytes, scaling, type, order, isPrioritized, reducer, missing);
    }

    public BucketOptions withOrder(ResultOrder value) {
        return new BucketOptions(
                bucketBytes, firstBucketBytes, scaling, communicationType, value, isPrioritized, reducer, missing);
    }

    public BucketOptions withPriorities(boolean value) {
        return new BucketOptions(
                bucketBytes, firstBucketBytes, scaling, communicationType, order, value, reducer, missing);
    }

    /** @param value null for an all-reduce */
    public BucketOptions withReducer(@Nullable BucketReducer value) {
        return new BucketOptions(
                bucketBytes, firstBucketBytes, scaling, communicationType, order, isPrioritized, value, missing);
    }

    public BucketOptions withMissing(MissingGradients value) {
        return new BucketOptions(
                bucketBytes, firstBucketBytes, scaling, communicationType, order, isPrioritized, reducer, value);
    }
}

package io.reactivecomm.pytorch;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Divisor;
import io.reactivecomm.train.FiniteCheck;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The way in which a {@link DistributedDataParallel} reduces gradients and keeps replicas equal; the same on all ranks.
 *
 * <p>The algorithm of all-reduces is the group's: {@code DistributedDataParallel.of(module, world.algorithm("ring"))}.
 *
 * @param buckets how gradients are fused, scaled and sent
 * @param compression {@code one-bit}, {@code int8}, {@code int4}, {@code top-k} or {@code powersgd}; null for none
 * @param broadcastsBuffers whether each step begins with rank 0's buffers, such as the running statistics of batch normalization, unless the model is in eval mode
 * @param announcesAtEnd whether gradients are reduced only after the backward pass, for models in which a parameter's gradient comes several times in one pass, as it does
 *     where activations are recomputed. Communication then does not overlap
 * @param finiteCheck the consequence of a gradient that is a NaN or an infinity; null for no check. After a step that {@link FiniteCheck#SKIP} has skipped, {@code .grad} is undefined
 *     on all ranks, so optimizers do nothing
 * @param maxNorm the limit of the norm of all gradients together; infinity for none
 * @param unevenInputs the divisor of averages, if ranks may have different numbers of steps ({@link DistributedDataParallel#finished}); null if all have equally many
 */
public record DataParallelOptions(
        BucketOptions buckets,
        @Nullable String compression,
        boolean broadcastsBuffers,
        boolean announcesAtEnd,
        @Nullable FiniteCheck finiteCheck,
        double maxNorm,
        @Nullable Divisor unevenInputs) {

    /** The usual buckets without compression; buffers are broadcast; communication overlaps with the backward pass. */
    public static final DataParallelOptions DEFAULT =
            new DataParallelOptions(BucketOptions.DEFAULT, null, true, false, null, Double.POSITIVE_INFINITY, null);

    public DataParallelOptions {
        Objects.requireNonNull(buckets, "there are no bucket options; give BucketOptions.DEFAULT for the usual ones");
        if (compression != null && buckets.reducer() != null) {
            throw new InvalidCallException("buckets have a reducer already: compression=" + compression + ", reducer="
                    + buckets.reducer().label() + "; give one of the two");
        }
    }

    public DataParallelOptions withBuckets(BucketOptions value) {
        return new DataParallelOptions(
                value, compression, broadcastsBuffers, announcesAtEnd, finiteCheck, maxNorm, unevenInputs);
    }

    /** @param name null for no compression */
    public DataParallelOptions withCompression(@Nullable String name) {
        return new DataParallelOptions(
                buckets, name, broadcastsBuffers, announcesAtEnd, finiteCheck, maxNorm, unevenInputs);
    }

    public DataParallelOptions withBufferBroadcast(boolean value) {
        return new DataParallelOptions(buckets, compression, value, announcesAtEnd, finiteCheck, maxNorm, unevenInputs);
    }

    public DataParallelOptions withAnnouncementAtEnd(boolean value) {
        return new DataParallelOptions(
                buckets, compression, broadcastsBuffers, value, finiteCheck, maxNorm, unevenInputs);
    }

    /** @param value null for no check */
    public DataParallelOptions withFiniteCheck(@Nullable FiniteCheck value) {
        return new DataParallelOptions(
                buckets, compression, broadcastsBuffers, announcesAtEnd, value, maxNorm, unevenInputs);
    }

    /** @param value the limit, above 0; infinity for none */
    public DataParallelOptions withMaxNorm(double value) {
        return new DataParallelOptions(
                buckets, compression, broadcastsBuffers, announcesAtEnd, finiteCheck, value, unevenInputs);
    }

    /** @param value null if all ranks have equally many steps */
    public DataParallelOptions withUnevenInputs(@Nullable Divisor value) {
        return new DataParallelOptions(
                buckets, compression, broadcastsBuffers, announcesAtEnd, finiteCheck, maxNorm, value);
    }
}

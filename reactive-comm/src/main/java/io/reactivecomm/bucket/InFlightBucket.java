package io.reactivecomm.bucket;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.bucket.BucketPlan.Bucket;
import io.reactivecomm.bucket.BucketPlan.Slot;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.kernel.Conversion;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One bucket of one step: the tensor of its call, and the memory that it is reduced in.
 *
 * <pre>
 *   GradientArena   gradients live there   nothing is copied for those that do
 *   gradient        is the whole bucket    nothing is copied
 *   FlatBuffer      all else               packed before the call, unpacked after it
 * </pre>
 *
 * <p><b>Threads.</b> The step's worker.
 */
final class InFlightBucket {

    private final Bucket bucket;
    private final double lastFactor;
    private @Nullable Tensor owner;
    private FlatBuffers.@Nullable FlatBuffer buffer;
    private MemorySegment memory = MemorySegment.NULL;

    /** @param size that of the group */
    InFlightBucket(Bucket bucket, Scaling scaling, int size) {
        this.bucket = bucket;
        this.lastFactor = scaling.lastFactor(size);
    }

    Bucket bucket() {
        return bucket;
    }

    /** {@return what is reduced, in place, once it is loaded} */
    Tensor tensor() {
        return new BucketTensor(bucket.type(), bucket.count(), Objects.requireNonNull(owner), memory);
    }

    /**
     * Puts the bucket's gradients where they are reduced.
     *
     * @return whether there is memory; if not, once a buffer was let go there will be
     */
    boolean load(StepProgress step, FlatBuffers buffers, @Nullable GradientArena storage) {
        if (!findMemory(step, buffers, storage)) {
            return false;
        }
        Map<DType, Conversion> conversions = new EnumMap<>(DType.class);
        for (Slot place : bucket.places()) {
            Gradient gradient = step.at(place);
            MemorySegment target = at(place);
            if (gradient == null) {
                target.fill((byte) 0);
            } else if (!isThere(gradient, target)) {
                conversions
                        .computeIfAbsent(place.parameter().type(), type -> Conversion.of(type, bucket.type(), 1))
                        .convert(gradient.tensor().segment(), target, place.parameter().count());
            }
        }
        return true;
    }

    private boolean findMemory(StepProgress step, FlatBuffers buffers, @Nullable GradientArena storage) {
        Gradient first = step.at(bucket.places().getFirst());
        if (storage != null) {
            hold(storage.of(bucket));
        } else if (first != null && bucket.isOneUnconverted()) {
            hold(first.tensor());
        } else {
            buffer = buffers.take(bucket.byteSize(), step.plan().flatBytes());
            if (buffer == null) {
                return false;
            }
            hold(buffer.bytes());
        }
        return true;
    }

    /** Borrows the memory beyond the end of the call, until results have left it. */
    private void hold(Tensor whole) {
        if (!whole.borrow()) {
            throw new InvalidCallException("the memory of a bucket was closed: bucket=" + bucket.index() + ", first="
                    + bucket.places().getFirst().parameter().name() + "; close gradients and buckets after the last step");
        }
        owner = whole;
        memory = whole.segment().asSlice(0, bucket.byteSize());
    }

    private MemorySegment at(Slot place) {
        int width = bucket.type().byteSize();
        return memory.asSlice(place.from() * width, place.parameter().count() * width);
    }

    private static boolean isThere(Gradient gradient, MemorySegment target) {
        return gradient.tensor().segment().address() == target.address();
    }

    /** Brings the results to the gradients, scaled. */
    void unload(StepProgress step) {
        Map<DType, Conversion> conversions = new EnumMap<>(DType.class);
        for (Slot place : bucket.places()) {
            Gradient gradient = step.at(place);
            MemorySegment source = at(place);
            if (gradient != null && !(isThere(gradient, source) && lastFactor == 1)) {
                conversions
                        .computeIfAbsent(place.parameter().type(), type -> Conversion.of(bucket.type(), type, lastFactor))
                        .convert(source, gradient.tensor().segment(), place.parameter().count());
            }
        }
    }

    /** Lets go of the memory, if there is any. */
    void letGo(FlatBuffers buffers) {
        Tensor held = owner;
        FlatBuffers.FlatBuffer taken = buffer;
        owner = null;
        buffer = null;
        try {
            if (held != null) {
                held.giveBack();
            }
        } finally {
            // A tensor may be the program's own, and throw: the buffer is the next bucket's all the same.
            if (taken != null) {
                buffers.letGo(taken);
            }
        }
    }
}

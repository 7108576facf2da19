package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import io.reactivecomm.internal.train.BucketPlan.Bucket;
import io.reactivecomm.internal.train.BucketPlan.Place;
import io.reactivecomm.train.BucketReducer;
import io.reactivecomm.train.Gradient;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A bucket of dense gradients in one step: the tensor of its call, and the memory in which it is reduced.
 *
 * <pre>
 *   homes           gradients live there      nothing is copied for those that do
 *   own memory      one gradient, unconverted nothing is copied: its tensor, or the one of its result if this rank lacks it
 *   flat buffer     all other buckets         packed before the call, unpacked after it
 * </pre>
 *
 * <p>A device performs packing, call and unpacking in this order, so the host waits once.
 */
final class DenseFlight extends Flight {

    final Reduction reduction;
    private final @Nullable ReducerCall reducer;
    /** The factor that packing applies to gradients. */
    private final double firstFactor;
    /** The gradients' elements in the bucket, made once for packing and unpacking. */
    private final @Nullable Tensor[] parts;

    private @Nullable Tensor owner;
    private BucketMemory.@Nullable FlatBuffer buffer;
    private @Nullable Tensor tensor;

    DenseFlight(Bucket bucket, Buckets buckets, BucketStep step, PlannedGradients gradients) {
        super(bucket, buckets, step, gradients);
        BucketReducer chosen = buckets.options.reducer();
        this.reducer = chosen == null ? null : new ReducerCall(chosen, this);
        this.parts = new Tensor[bucket.places().size()];
        Reduction asked = asked();
        // Unscaled, a gradient may not fit the communication type. Packing scales at no cost where it converts.
        boolean scalesFirst = bucket.isConverted() && asked instanceof PreMulSum;
        this.reduction = scalesFirst ? ReduceOp.SUM : asked;
        this.firstFactor = scalesFirst && asked instanceof PreMulSum scaled ? scaled.factor() : 1;
    }

    @Override
    boolean takeMemory() {
        Tensor homes = gradients.homes(bucket);
        if (homes != null) {
            hold(homes);
        } else if (bucket.isOneUnconverted()) {
            hold(target(bucket.places().getFirst()));
        } else {
            BucketMemory.FlatBuffer taken = buckets.memory.take(
                    bucket.device(), bucket.byteSize(), buckets.common.plan().flatBytes(bucket.device()));
            if (taken == null) {
                return false;
            }
            buffer = taken;
            hold(taken.bytes());
            tensor = taken.bytes().slice(0, bucket.byteSize()).view(bucket.type(), bucket.count());
        }
        return true;
    }

    /** Borrows the memory beyond the end of the call, until results have left it. */
    private void hold(Tensor whole) {
        if (!whole.borrow()) {
            throw new InvalidCallException("the memory of a bucket was closed: bucket=" + bucket.index() + ", first="
                    + bucket.places().getFirst().parameter().name()
                    + "; close gradients and buckets after the last step");
        }
        owner = whole;
        tensor = whole;
    }

    Tensor tensor() {
        return Objects.requireNonNull(tensor);
    }

    /** {@return the tensor in which a result is handed out} */
    private Tensor target(Place place) {
        Gradient gradient = gradients.at(place.index());
        return gradient == null ? gradients.lacking(place) : gradient.tensor();
    }

    /** {@return the elements of the bucket that belong to its i-th gradient} */
    private Tensor part(int i) {
        Tensor part = parts[i];
        if (part == null) {
            Place place = bucket.places().get(i);
            part = tensor().slice(place.from(), place.parameter().count());
            parts[i] = part;
        }
        return part;
    }

    private boolean isInPlace(Tensor own, Place place) {
        return own == tensor
                || own.address()
                        == tensor().address() + place.from() * bucket.type().byteSize();
    }

    @Override
    List<Move> packing() {
        List<Move> moves = new ArrayList<>();
        for (int i = 0; i < parts.length; i++) {
            Place place = bucket.places().get(i);
            Gradient gradient = gradients.at(place.index());
            if (gradient != null && !isInPlace(gradient.tensor(), place)) {
                moves.add(Move.scaled(gradient.tensor(), part(i), firstFactor));
            } else if (gradient == null && !gradients.isKept(place.index())) {
                moves.add(Move.zeros(part(i)));
            }
        }
        return moves;
    }

    /** Behind a packing that is enqueued the call is, too: the host waits once, for the results. */
    @Override
    Mono<Work> reduction(ProcessGroup inside, Mono<byte[]> present) {
        ProcessGroup named = inside.named("bucket." + bucket.index());
        if (reducer != null) {
            return reducer.reduction(named, present);
        }
        return (packed() == Handle.DONE ? named : named.enqueued()).allReduce(tensor(), reduction);
    }

    @Override
    Handle end(Work work) {
        return reducer == null ? work.handle() : reducer.end(work);
    }

    @Override
    List<Move> unpacking(byte[] present) {
        double lastFactor = lastFactor();
        List<Move> moves = new ArrayList<>();
        for (int i = 0; i < present.length; i++) {
            Place place = bucket.places().get(i);
            if (present[i] > 0 && (lastFactor != 1 || !isInPlace(target(place), place))) {
                moves.add(Move.scaled(part(i), target(place), lastFactor));
            }
        }
        return moves;
    }

    @Override
    void release(boolean isReduced) {
        Tensor held = owner;
        BucketMemory.FlatBuffer taken = buffer;
        owner = null;
        buffer = null;
        try {
            if (held != null) {
                held.giveBack();
            }
        } finally {
            // A tensor may be the program's own, and throw: the buffer is the next bucket's all the same.
            if (taken != null) {
                buckets.memory.giveBack(taken, isReduced);
            }
        }
    }

    @Override
    Gradient result(Place place) {
        Gradient gradient = gradients.at(place.index());
        return gradient == null ? new Gradient(place.parameter().name(), gradients.lacking(place)) : gradient;
    }

    @Override
    void discard() {
        // Results are in tensors that stay.
    }
}

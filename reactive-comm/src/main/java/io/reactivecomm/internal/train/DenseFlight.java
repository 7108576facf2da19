package io.reactivecomm.internal.train;

import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.Handle;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Move;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.internal.base.OwnThreads;
import io.reactivecomm.internal.train.BucketPlan.Bucket;
import io.reactivecomm.internal.train.BucketPlan.Slot;
import io.reactivecomm.train.BucketReducer;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.Parameter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
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
 *
 * <p><b>Threads.</b> As {@link Flight}.
 */
final class DenseFlight implements Flight {

    private final Bucket bucket;
    private final Buckets buckets;
    private final Gradients gradients;
    private final @Nullable BucketReducer reducer;
    private final Reduction reduction;
    /** The factor that packing applies to gradients. */
    private final double firstFactor;
    /** The factor that unpacking applies to results. */
    private final double lastFactor;

    private final @Nullable Tensor[] parts;
    private @Nullable Tensor owner;
    private BucketMemory.@Nullable FlatBuffer buffer;
    private @Nullable Tensor tensor;
    private Handle packed = Handle.DONE;
    /** The end of the call, if that was enqueued. */
    private volatile Handle reduced = Handle.DONE;

    DenseFlight(Bucket bucket, Buckets buckets, Gradients gradients) {
        this.bucket = bucket;
        this.buckets = buckets;
        this.gradients = gradients;
        this.reducer = buckets.options().reducer();
        this.parts = new Tensor[bucket.places().size()];
        int size = buckets.group().size();
        Reduction asked = buckets.options().scaling().reduction(size);
        // Unscaled, a gradient may not fit the communication type. Packing scales at no cost where it converts.
        boolean scalesFirst = bucket.isConverted() && asked instanceof PreMulSum;
        this.reduction = scalesFirst ? ReduceOp.SUM : asked;
        this.firstFactor = scalesFirst && asked instanceof PreMulSum scaled ? scaled.factor() : 1;
        this.lastFactor = buckets.options().scaling().lastFactor(size);
    }

    @Override
    public Bucket bucket() {
        return bucket;
    }

    @Override
    public boolean takeMemory() {
        Tensor homes = gradients.homes(bucket);
        if (homes != null) {
            hold(homes);
        } else if (bucket.isOneUnconverted()) {
            hold(target(0));
        } else {
            BucketMemory.FlatBuffer taken = buckets.memory()
                    .take(
                            bucket.device(),
                            bucket.byteSize(),
                            buckets.common().plan().flatBytes(bucket.device()));
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

    private Tensor tensor() {
        return Objects.requireNonNull(tensor);
    }

    private Slot slot(int i) {
        return bucket.places().get(i);
    }

    private @Nullable Gradient own(int i) {
        return gradients.at(slot(i).index());
    }

    /** {@return the tensor in which the i-th result is handed out} */
    private Tensor target(int i) {
        Gradient gradient = own(i);
        return gradient == null ? gradients.lacking(slot(i)) : gradient.tensor();
    }

    /** {@return the elements of the bucket that belong to its i-th gradient} Made once, for packing and unpacking. */
    private Tensor part(int i) {
        Tensor part = parts[i];
        if (part == null) {
            part = tensor().slice(slot(i).from(), slot(i).parameter().count());
            parts[i] = part;
        }
        return part;
    }

    private boolean isThere(Tensor own, int i) {
        return own == tensor
                || own.address()
                        == tensor().address() + slot(i).from() * bucket.type().byteSize();
    }

    @Override
    public List<Move> packing() {
        List<Move> moves = new ArrayList<>();
        for (int i = 0; i < parts.length; i++) {
            Gradient gradient = own(i);
            if (gradient != null && !isThere(gradient.tensor(), i)) {
                moves.add(Move.scaled(gradient.tensor(), part(i), firstFactor));
            } else if (gradient == null && !gradients.isKept(slot(i).index())) {
                moves.add(Move.zeros(part(i)));
            }
        }
        return moves;
    }

    @Override
    public void packed(Handle handle) {
        packed = handle;
    }

    @Override
    public @Nullable Mono<Void> packed() {
        return packed == Handle.DONE ? null : packed.completed();
    }

    @Override
    public Mono<Work> reduce(ProcessGroup inside, Mono<byte[]> present) {
        BucketReducer chosen = reducer;
        ProcessGroup own = inside.named("bucket." + bucket.index());
        return chosen == null
                ? allReduce(own)
                : ReducerCall.of(
                        own,
                        "bucket " + bucket.index() + " by " + chosen.label(),
                        present.publishOn(Buckets.PACKING),
                        (group, bytes) -> reduce(chosen, group, bytes));
    }

    /** Behind a packing that is enqueued the call is, too: the host waits once, for the results. */
    private Mono<Work> allReduce(ProcessGroup inside) {
        ProcessGroup view = packed == Handle.DONE ? inside : inside.enqueued();
        return view.allReduce(tensor(), reduction);
    }

    /** A reducer may read the bucket in ways that know of no packing: unless it says otherwise, it begins when that has ended. */
    private Mono<Work> reduce(BucketReducer chosen, ProcessGroup inside, byte[] present) {
        List<Parameter> parameters =
                bucket.places().stream().map(Slot::parameter).toList();
        BucketReducer.Bucket contents =
                new BucketReducer.Bucket(bucket.index(), parameters, tensor(), reduction, buckets.presence(present));
        return packed == Handle.DONE || chosen.isOrderedByDevices()
                ? reduced(chosen, inside, contents)
                : packed.completed().publishOn(Buckets.PACKING).then(Mono.defer(() -> begun(chosen, inside, contents)));
    }

    private static Mono<Work> reduced(BucketReducer chosen, ProcessGroup inside, BucketReducer.Bucket contents) {
        return Objects.requireNonNull(
                chosen.reduce(inside, contents),
                () -> "a reducer has returned no Mono: reducer=" + chosen.label() + ", bucket=" + contents.index()
                        + "; return one, perhaps an empty one");
    }

    /** An error that is fatal to the JVM, such as a class that is not there, would reach no one. */
    private static Mono<Work> begun(BucketReducer chosen, ProcessGroup inside, BucketReducer.Bucket contents) {
        try {
            return reduced(chosen, inside, contents);
        } catch (Exception | Error e) {
            return Mono.error(e);
        }
    }

    @Override
    public void reduced(Work work) {
        Handle handle = Objects.requireNonNull(
                work.handle(),
                () -> "a reducer's work has no handle: bucket=" + bucket.index()
                        + "; give Handle.DONE where nothing is enqueued");
        BucketReducer chosen = reducer;
        reduced = chosen == null || handle == Handle.DONE ? handle : () -> inTime(handle, chosen);
    }

    /** The handles of a group's own calls end by themselves, a reducer's perhaps not. */
    private Mono<Void> inTime(Handle handle, BucketReducer chosen) {
        Duration deadline = OwnThreads.countable(buckets.group().timeout());
        return handle.completed()
                .timeout(
                        deadline,
                        Mono.error(() -> new CommTimeoutException(
                                "a bucket was reduced, and its handle did not complete: bucket=" + bucket.index()
                                        + ", reducer=" + chosen.label() + ", waited=" + deadline
                                        + "; complete the handle of the Work that the reducer gives, or give none",
                                List.of())),
                        OwnThreads.deadlines());
    }

    @Override
    public List<Move> unpacking(byte[] present) {
        List<Move> moves = new ArrayList<>();
        for (int i = 0; i < parts.length; i++) {
            if (present[i] > 0) {
                Tensor target = target(i);
                if (lastFactor != 1 || !isThere(target, i)) {
                    moves.add(Move.scaled(part(i), target, lastFactor));
                }
            }
        }
        return moves;
    }

    @Override
    public @Nullable Mono<Void> end(Handle unpacked) {
        return packed == Handle.DONE && reduced == Handle.DONE && unpacked == Handle.DONE
                ? null
                : Mono.whenDelayError(reduced.completed(), packed.completed(), unpacked.completed())
                        .onErrorMap(
                                Exceptions::isMultiple,
                                all -> Exceptions.unwrapMultiple(all).getFirst());
    }

    @Override
    public void letGo(boolean isReduced) {
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
                buckets.memory().giveBack(taken, isReduced);
            }
        }
    }

    @Override
    public Gradient result(Slot slot) {
        Gradient gradient = gradients.at(slot.index());
        return gradient == null ? new Gradient(slot.parameter().name(), gradients.lacking(slot)) : gradient;
    }

    @Override
    public void discard() {
        // Results are in tensors that stay.
    }
}

package io.reactivecomm.bucket;

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
import io.reactivecomm.bucket.BucketPlan.Bucket;
import io.reactivecomm.bucket.BucketPlan.Slot;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.internal.base.OwnThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/**
 * One bucket of one step: the tensor of its call, and the memory that it is reduced in.
 *
 * <pre>
 *   GradientArena   gradients live there   nothing is copied for those that do
 *   gradient        is the whole bucket    nothing is copied
 *   FlatBuffer      all else               packed before the call, unpacked after it
 * </pre>
 *
 * <p>Packing is one list of moves and unpacking another, which end before they return where gradients are in the host's memory. A device begins
 * the call behind the packing by itself.
 *
 * <p><b>Threads.</b> As {@link Flight}.
 */
final class InFlightBucket implements Flight {

    private static final @Nullable Tensor[] NONE = {};

    private final Bucket bucket;
    private final BucketOptions options;
    private final int size;
    private final Reduction reduction;
    /** The factor that packing applies to gradients. */
    private final double firstFactor;

    private final Duration deadline;
    private final Function<List<Move>, Handle> moving;
    private @Nullable Tensor owner;
    private FlatBuffers.@Nullable FlatBuffer buffer;
    private @Nullable Tensor tensor;
    private @Nullable Tensor[] parts = NONE;
    /** The end of the packing. Read by whoever makes the call, which begins after it was written. */
    private volatile Handle packed = Handle.DONE;
    /** The end of the call, where that was enqueued. Written by whoever hears of the call, before the worker does. */
    private volatile Handle reduced = Handle.DONE;

    /**
     * @param size that of the group
     * @param deadline of what a reducer has enqueued
     * @param moving does moves, or enqueues them
     */
    InFlightBucket(
            Bucket bucket, BucketOptions options, int size, Duration deadline, Function<List<Move>, Handle> moving) {
        this.bucket = bucket;
        this.options = options;
        this.size = size;
        Reduction asked = options.scaling().reduction(size);
        // Unscaled, a gradient may not fit the communication type. Packing scales at no cost where it converts.
        boolean scalesFirst = bucket.isConverted() && asked instanceof PreMulSum;
        this.reduction = scalesFirst ? ReduceOp.SUM : asked;
        this.firstFactor = scalesFirst && asked instanceof PreMulSum scaled ? scaled.factor() : 1;
        this.deadline = deadline;
        this.moving = moving;
    }

    @Override
    public Bucket bucket() {
        return bucket;
    }

    @Override
    public String operation() {
        BucketReducer reducer = options.reducer();
        return "bucket " + bucket.index() + (reducer == null ? "" : " by " + reducer.label());
    }

    @Override
    public boolean isReducedByOthers() {
        return options.reducer() != null;
    }

    /** {@return what is reduced, in place, once it is loaded} */
    Tensor tensor() {
        return Objects.requireNonNull(tensor);
    }

    @Override
    public Mono<Work> reduce(ProcessGroup inside) {
        BucketReducer reducer = options.reducer();
        return reducer == null ? allReduce(inside) : reduce(reducer, inside);
    }

    /** Behind a packing that is enqueued the call is, too: the host waits once, for the results. */
    private Mono<Work> allReduce(ProcessGroup inside) {
        ProcessGroup view = packed == Handle.DONE ? inside : inside.enqueued();
        return view.allReduce(tensor(), reduction);
    }

    /** A reducer may read the bucket in ways that know of no packing: unless it says otherwise, it begins when that has ended. */
    private Mono<Work> reduce(BucketReducer reducer, ProcessGroup inside) {
        List<Parameter> parameters =
                bucket.places().stream().map(Slot::parameter).toList();
        BucketReducer.Bucket contents = new BucketReducer.Bucket(bucket.index(), parameters, tensor(), reduction);
        Mono<Work> reduced = Mono.defer(() -> begun(reducer, inside, contents));
        return packed == Handle.DONE || reducer.isOrderedByDevices()
                ? reduced
                : packed.completed().then(reduced);
    }

    /** On a thread of an engine's nobody would hear of what is fatal to the JVM, such as a class that is not there. */
    private static Mono<Work> begun(BucketReducer reducer, ProcessGroup inside, BucketReducer.Bucket contents) {
        try {
            return reducer.reduce(inside, contents);
        } catch (RuntimeException | Error e) {
            return Mono.error(e);
        }
    }

    @Override
    public boolean load(StepProgress step, FlatBuffers buffers, @Nullable GradientArena storage) {
        if (!findMemory(step, buffers, storage)) {
            return false;
        }
        parts = new Tensor[bucket.places().size()];
        List<Move> moves = new ArrayList<>(parts.length);
        for (int i = 0; i < parts.length; i++) {
            Gradient gradient = step.at(bucket.places().get(i));
            if (gradient == null) {
                moves.add(Move.zeros(part(i)));
            } else if (!isThere(gradient, i)) {
                moves.add(Move.scaled(gradient.tensor(), part(i), firstFactor));
            }
        }
        packed = moved(moves);
        return true;
    }

    @Override
    public @Nullable Mono<Void> loaded() {
        return packed == Handle.DONE ? null : packed.completed();
    }

    private Handle moved(List<Move> moves) {
        return moves.isEmpty() ? Handle.DONE : moving.apply(moves);
    }

    private boolean findMemory(StepProgress step, FlatBuffers buffers, @Nullable GradientArena storage) {
        Gradient first = step.at(bucket.places().getFirst());
        if (storage != null) {
            hold(storage.of(bucket));
        } else if (first != null && bucket.isOneUnconverted()) {
            hold(first.tensor());
        } else {
            buffer =
                    buffers.take(bucket.device(), bucket.byteSize(), step.plan().flatBytes(bucket.device()));
            if (buffer == null) {
                return false;
            }
            hold(buffer.bytes());
            tensor = buffer.bytes().slice(0, bucket.byteSize()).view(bucket.type(), bucket.count());
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

    /** {@return the elements of the bucket that the i-th of its gradients has} Made once, for packing and unpacking. */
    private Tensor part(int i) {
        Tensor part = parts[i];
        if (part == null) {
            Slot place = bucket.places().get(i);
            part = tensor().slice(place.from(), place.parameter().count());
            parts[i] = part;
        }
        return part;
    }

    private boolean isThere(Gradient gradient, int i) {
        Tensor own = gradient.tensor();
        return own == tensor
                || own.address()
                        == tensor().address()
                                + bucket.places().get(i).from() * bucket.type().byteSize();
    }

    @Override
    public void reduced(Work work) {
        BucketReducer reducer = options.reducer();
        Handle handle = Objects.requireNonNull(
                work.handle(),
                () -> "a reducer's work has no handle: bucket=" + bucket.index()
                        + "; give Handle.DONE where nothing is enqueued");
        reduced = reducer == null || handle == Handle.DONE ? handle : () -> inTime(handle, reducer);
    }

    /** The handles of a group's own calls end by themselves, a reducer's perhaps not. */
    private Mono<Void> inTime(Handle handle, BucketReducer reducer) {
        return handle.completed()
                .timeout(
                        deadline,
                        Mono.error(() -> new CommTimeoutException(
                                "a bucket was reduced, and its handle did not complete: bucket=" + bucket.index()
                                        + ", reducer=" + reducer.label() + ", waited=" + deadline
                                        + "; complete the handle of the Work that the reducer gives, or give none",
                                List.of())),
                        OwnThreads.deadlines());
    }

    /** {@return what completes once the results are where {@link #unload} has brought them; null if they are} */
    private @Nullable Mono<Void> end(Handle unpacked) {
        return packed == Handle.DONE && reduced == Handle.DONE && unpacked == Handle.DONE
                ? null
                : Mono.whenDelayError(reduced.completed(), packed.completed(), unpacked.completed())
                        .onErrorMap(
                                Exceptions::isMultiple,
                                all -> Exceptions.unwrapMultiple(all).getFirst());
    }

    @Override
    public @Nullable Mono<Void> unload(StepProgress step) {
        double lastFactor = options.scaling().lastFactor(size);
        List<Move> moves = new ArrayList<>(parts.length);
        for (int i = 0; i < parts.length; i++) {
            Gradient gradient = step.at(bucket.places().get(i));
            if (gradient != null && !(isThere(gradient, i) && lastFactor == 1)) {
                moves.add(Move.scaled(part(i), gradient.tensor(), lastFactor));
            }
        }
        return end(moved(moves));
    }

    @Override
    public void bring(StepProgress step) {
        // They are in the gradients that came.
    }

    @Override
    public void discard() {
        // There are no others.
    }

    @Override
    public void letGo(FlatBuffers buffers, boolean isReduced) {
        Tensor held = owner;
        FlatBuffers.FlatBuffer taken = buffer;
        owner = null;
        buffer = null;
        parts = NONE;
        try {
            if (held != null) {
                held.giveBack();
            }
        } finally {
            // A tensor may be the program's own, and throw: the buffer is the next bucket's all the same.
            if (taken != null && isReduced) {
                buffers.letGo(taken);
            } else if (taken != null) {
                buffers.giveUp(taken);
            }
        }
    }
}

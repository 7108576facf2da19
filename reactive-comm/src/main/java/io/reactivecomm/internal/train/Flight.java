package io.reactivecomm.internal.train;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import io.reactivecomm.internal.train.BucketPlan.Bucket;
import io.reactivecomm.internal.train.BucketPlan.Place;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.Scaling;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/**
 * One bucket of one step, from its memory to its results.
 *
 * <pre>
 *   takesMemory ──&gt; begin ─┬─ presence ───────────────────────────┬─&gt; unpacking ──&gt; step.landed ──&gt; release ──&gt; result
 *                          └─ packing ──&gt; reduction ──&gt; end ──────┘
 *   a failure, anywhere ──&gt; step.gaveUp ──&gt; release, discard
 * </pre>
 *
 * <p><b>Threads.</b> One at a time, each after the effects of the one before are visible; {@link #end} on any. Packing, unpacking and code of reducers run on
 * threads of the buckets. A bucket that needs none of these begins and ends without a change of threads.
 */
abstract sealed class Flight permits DenseFlight, SparseFlight {

    final Bucket bucket;
    final Buckets buckets;
    final BucketStep step;
    final PlannedGradients gradients;

    private Handle packed = Handle.DONE;
    private volatile Handle reduced = Handle.DONE;
    private Handle unpacked = Handle.DONE;

    Flight(Bucket bucket, Buckets buckets, BucketStep step, PlannedGradients gradients) {
        this.bucket = bucket;
        this.buckets = buckets;
        this.step = step;
        this.gradients = gradients;
    }

    /** Takes the memory of the call. {@return whether there is any; if not, there is once another flight has landed} */
    abstract boolean takeMemory();

    /** {@return the moves that put the gradients there} */
    abstract List<Move> packing();

    /**
     * {@return the call that reduces it} It begins after the bucket was packed.
     *
     * @param inside the group for the step's calls
     * @param present emits one byte for each gradient, 1 where some rank has it
     */
    abstract Mono<Work> reduction(ProcessGroup inside, Mono<byte[]> present);

    /** {@return the end of the call, of which the work says that it has its result or is enqueued} */
    abstract Handle end(Work work);

    /** {@return the moves that bring results out of memory that others use next} @param present one byte for each gradient, 1 where some rank has it */
    abstract List<Move> unpacking(byte[] present);

    /**
     * Releases the memory, if there is any.
     *
     * @param isReduced whether the call succeeded; after a failure a library may still write to the memory
     */
    abstract void release(boolean isReduced);

    /** {@return the result of a gradient} Not for one that no rank has. */
    abstract Gradient result(Place place);

    /** Closes results that are not emitted. */
    abstract void discard();

    final boolean takesMemory() {
        boolean hasReturned = false;
        try {
            boolean isTaken = takeMemory();
            hasReturned = true;
            return isTaken;
        } finally {
            if (!hasReturned) {
                release(true);
            }
        }
    }

    /** Packs, reduces and unpacks it. @param own for each gradient, 1 where this rank has it */
    final void begin(byte[] own) {
        try {
            Mono<byte[]> present = presence(own);
            List<Move> moves = packing();
            if (moves.isEmpty() && buckets.options.reducer() == null) {
                reduce(present);
            } else {
                work(() -> {
                    packed = moved(moves);
                    reduce(present);
                });
            }
        } catch (Exception | Error e) {
            failed(e);
            Exceptions.throwIfJvmFatal(e);
        }
    }

    /** Asks which gradients any rank has, at once. {@return the answer, one byte for each} */
    private Mono<byte[]> presence(byte[] own) {
        if (!buckets.askForPresence()) {
            return Mono.just(own);
        }
        Tensor tensor = buckets.memory.presence(bucket.index(), own.length);
        tensor.set(IntStream.range(0, own.length).map(i -> own[i]).toArray());
        Mono<byte[]> present = buckets.view(bucket, step.inside)
                .algorithm("")
                .named("presence." + bucket.index())
                .allReduce(tensor, ReduceOp.MAX)
                .map(work -> tensor.toByteArray())
                .doOnError(error -> buckets.memory.giveUpPresence(bucket.index()))
                .cache();
        present.contextWrite(step.view.context()).subscribe(bytes -> {}, error -> {});
        return present;
    }

    private void reduce(Mono<byte[]> present) {
        reduction(buckets.view(bucket, step.inside), present)
                .contextWrite(step.view.context())
                .subscribe(work -> reduced = end(work), this::failed, () -> reduced(present));
    }

    private void reduced(Mono<byte[]> present) {
        ActiveRanks active = step.active;
        if (active == null) {
            present.subscribe(bytes -> step.post(() -> unpack(bytes)), this::failed);
        } else {
            active.count().then(present).subscribe(bytes -> step.post(() -> unpack(bytes)), this::failed);
        }
    }

    private boolean dividesLast() {
        return step.active != null && step.active.dividesLast() && buckets.options.scaling() != Scaling.SUM;
    }

    /** {@return the reduction over ranks} */
    final Reduction asked() {
        return dividesLast() && buckets.options.scaling() == Scaling.AVERAGE
                ? ReduceOp.SUM
                : buckets.options.scaling().reduction(buckets.group.size());
    }

    /** {@return the factor of results on their way out of the bucket} */
    final double lastFactor() {
        Scaling scaling = buckets.options.scaling();
        double factor = scaling.lastFactor(buckets.group.size());
        if (step.active == null || !dividesLast()) {
            return factor;
        }
        double before = scaling == Scaling.AVERAGE ? 1 : factor * buckets.group.size();
        return before / step.active.divisor();
    }

    private void unpack(byte[] present) {
        guarded(() -> {
            List<Move> moves = unpacking(present);
            if (moves.isEmpty()) {
                land(present);
            } else {
                work(() -> {
                    unpacked = moved(moves);
                    land(present);
                });
            }
        });
    }

    private void land(byte[] present) {
        whenIdle(error -> {
            if (error == null) {
                step.landed(this, present);
            } else {
                step.gaveUp(this, error);
            }
        });
    }

    /** Notifies the other ranks at once, then waits for enqueued work, which may still use the gradients. */
    private void failed(Throwable error) {
        try {
            step.fail(error);
        } finally {
            whenIdle(ignored -> step.gaveUp(this, error));
        }
    }

    /** Handles an event of the step once all that is enqueued has ended. @param event takes the error, or null */
    private void whenIdle(Consumer<@Nullable Throwable> event) {
        if (packed == Handle.DONE && reduced == Handle.DONE && unpacked == Handle.DONE) {
            step.post(() -> event.accept(null));
        } else {
            Mono.whenDelayError(reduced.completed(), packed.completed(), unpacked.completed())
                    .subscribe(
                            nothing -> {},
                            error -> step.post(() -> event.accept(
                                    Exceptions.unwrapMultiple(error).getFirst())),
                            () -> step.post(() -> event.accept(null)));
        }
    }

    /** {@return the end of the packing} */
    final Handle packed() {
        return packed;
    }

    private Handle moved(List<Move> moves) {
        return moves.isEmpty() ? Handle.DONE : buckets.group.move(moves);
    }

    /** Runs a part that may take long. */
    private void work(Runnable part) {
        buckets.work(() -> guarded(part));
    }

    /** Runs a part. If it throws, the flight has failed. */
    private void guarded(Runnable part) {
        try {
            part.run();
        } catch (Exception | Error e) {
            failed(e);
            Exceptions.throwIfJvmFatal(e);
        }
    }
}

package io.reactivecomm.internal.train;

import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.device.Handle;
import io.reactivecomm.internal.base.OwnThreads;
import io.reactivecomm.internal.train.BucketPlan.Place;
import io.reactivecomm.train.BucketReducer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

/**
 * The composite call of a bucket that a program's own code reduces. A step that fails takes the composite call with it; what all ranks have begun in it
 * runs to its end.
 *
 * <p>Until its body has ended the bucket's memory is not another's: the reducer's code may use it. A body that does not end within the deadline, from when the composite call has
 * failed, is waited for no longer.
 *
 * <p><b>Threads.</b> Any.
 */
final class ReducerCall {

    private final BucketReducer reducer;
    private final DenseFlight flight;
    private final Duration deadline;
    private volatile @Nullable Mono<Work> begun;

    ReducerCall(BucketReducer reducer, DenseFlight flight) {
        this.reducer = reducer;
        this.flight = flight;
        this.deadline = OwnThreads.countable(flight.step.inside.timeout());
    }

    /** {@return the composite call, to be subscribed to once} @param present what the reducer must know first */
    Mono<Work> reduction(ProcessGroup inside, Mono<byte[]> present) {
        return inside.composite("bucket " + flight.bucket.index() + " by " + reducer.label())
                .mono(own -> begin(own, present))
                .onErrorResume(this::outcome);
    }

    /**
     * The body is cancelled when the composite call fails, and the calls that it began are not. A reducer may read the bucket in ways that know of no packing:
     * unless it says otherwise, it begins when that has ended.
     */
    private Mono<Work> begin(ProcessGroup own, Mono<byte[]> present) {
        Mono<byte[]> ready = flight.packed() == Handle.DONE || reducer.isOrderedByDevices()
                ? present
                : flight.packed().completed().then(present);
        Sinks.One<Work> end = Sinks.one();
        begun = end.asMono();
        return Mono.deferContextual(context -> {
            ready.publishOn(Buckets.PACKING).subscribe(bytes -> reduce(own, bytes, end, context), end::tryEmitError);
            return end.asMono();
        });
    }

    /** An error that is fatal to the JVM ends the call, too. */
    private void reduce(ProcessGroup own, byte[] present, Sinks.One<Work> end, ContextView context) {
        try {
            BucketReducer.Bucket contents = new BucketReducer.Bucket(
                    flight.bucket.index(),
                    flight.bucket.places().stream().map(Place::parameter).toList(),
                    flight.tensor(),
                    flight.reduction,
                    flight.buckets.presence(present),
                    flight.step.active != null && !flight.step.active.isActive());
            Objects.requireNonNull(
                            reducer.reduce(own, contents),
                            () -> "a reducer has returned no Mono: reducer=" + reducer.label() + ", bucket="
                                    + contents.index() + "; return one, perhaps an empty one")
                    .contextWrite(context)
                    .subscribe(end::tryEmitValue, end::tryEmitError, end::tryEmitEmpty);
        } catch (Exception | Error e) {
            end.tryEmitError(e);
            Exceptions.throwIfJvmFatal(e);
        }
    }

    private Mono<Work> outcome(Throwable error) {
        Mono<Work> body = begun;
        return body == null
                ? Mono.error(error)
                : body.flatMap(work -> work.handle().completed().thenReturn(work))
                        .timeout(deadline, OwnThreads.deadlines())
                        .onErrorMap(ignored -> error)
                        .then(Mono.error(error));
    }

    /** {@return the end of the work} The handles of a group's own calls always end, a reducer's perhaps not. */
    Handle end(Work work) {
        Handle handle = Objects.requireNonNull(
                work.handle(),
                () -> "a reducer's work has no handle: bucket=" + flight.bucket.index()
                        + "; give Handle.DONE where nothing is enqueued");
        return handle == Handle.DONE
                ? handle
                : () -> handle.completed().timeout(deadline, Mono.error(this::late), OwnThreads.deadlines());
    }

    private CommTimeoutException late() {
        return new CommTimeoutException(
                "a bucket was reduced, and its handle did not complete: bucket=" + flight.bucket.index() + ", reducer="
                        + reducer.label() + ", waited=" + deadline
                        + "; complete the handle of the Work that the reducer gives, or give none",
                List.of());
    }
}

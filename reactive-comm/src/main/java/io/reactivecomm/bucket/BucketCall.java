package io.reactivecomm.bucket;

import io.reactivecomm.CompositeCall;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.internal.base.OwnThreads;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The composite call of one bucket, and what its body does. A step that fails takes all of its composite calls with it, but what all ranks have begun in
 * one runs to its end; then the bucket is reduced all the same. A reducer may have caught the failure of a call: so with one the failure of the
 * composite call stays a failure.
 *
 * <p>Until its body has ended a bucket's memory is not another's: a reducer's code may be at it. But a body that does not end, within the deadline from when the composite call has
 * failed, is waited for no longer.
 *
 * <p><b>Threads.</b> Any.
 */
final class BucketCall {

    private final Flight flight;
    private final Duration deadline;
    private volatile @Nullable Mono<Work> begun;

    private BucketCall(Flight flight, Duration deadline) {
        this.flight = flight;
        this.deadline = deadline;
    }

    /** {@return a composite call that is assembled now, to be subscribed to once} */
    static Mono<Work> of(ProcessGroup inside, Flight flight) {
        BucketCall call = new BucketCall(flight, inside.timeout());
        CompositeCall composite = inside.composite(flight.operation());
        return (flight.isReducedByOthers() ? composite : composite.waitingOnly())
                .mono(call::begin)
                .onErrorResume(call::outcome);
    }

    /** The body is cancelled when the composite call fails, and what it began is not. Whatever it throws is its end. */
    private Mono<Work> begin(ProcessGroup own) {
        Sinks.One<Work> end = Sinks.one();
        begun = end.asMono();
        return Mono.deferContextual(context -> {
            try {
                flight.reduce(own)
                        .contextWrite(context)
                        .subscribe(end::tryEmitValue, end::tryEmitError, end::tryEmitEmpty);
            } catch (RuntimeException | Error e) {
                end.tryEmitError(e);
                Exceptions.throwIfJvmFatal(e);
            }
            return end.asMono();
        });
    }

    private Mono<Work> outcome(Throwable error) {
        Mono<Work> body = begun;
        if (body == null) {
            return Mono.error(error);
        }
        Mono<Work> over = body.timeout(deadline, OwnThreads.deadlines()).onErrorMap(ignored -> error);
        return flight.isReducedByOthers() ? over.then(Mono.error(error)) : over;
    }
}

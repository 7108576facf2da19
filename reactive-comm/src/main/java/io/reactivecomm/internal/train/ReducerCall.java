package io.reactivecomm.internal.train;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.internal.base.OwnThreads;
import java.time.Duration;
import java.util.function.BiFunction;
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

    private final Mono<byte[]> present;
    private final BiFunction<ProcessGroup, byte[], Mono<Work>> reducing;
    private final Duration deadline;
    private volatile @Nullable Mono<Work> begun;

    private ReducerCall(
            Mono<byte[]> present, BiFunction<ProcessGroup, byte[], Mono<Work>> reducing, Duration deadline) {
        this.present = present;
        this.reducing = reducing;
        this.deadline = deadline;
    }

    /**
     * {@return a composite call, to be subscribed to once}
     *
     * @param present what the reducer must know first; emits on a thread on which its code may run
     */
    static Mono<Work> of(
            ProcessGroup group,
            String operation,
            Mono<byte[]> present,
            BiFunction<ProcessGroup, byte[], Mono<Work>> reducing) {
        ReducerCall call = new ReducerCall(present, reducing, OwnThreads.countable(group.timeout()));
        return group.composite(operation).mono(call::begin).onErrorResume(call::outcome);
    }

    /** The body is cancelled when the composite call fails, and the calls that it began are not. */
    private Mono<Work> begin(ProcessGroup own) {
        Sinks.One<Work> end = Sinks.one();
        begun = end.asMono();
        return Mono.deferContextual(context -> {
            present.subscribe(bytes -> reduce(own, bytes, end, context), end::tryEmitError);
            return end.asMono();
        });
    }

    /** An error that is fatal to the JVM ends the call, too. */
    private void reduce(ProcessGroup own, byte[] bytes, Sinks.One<Work> end, ContextView context) {
        try {
            reducing.apply(own, bytes)
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
}

package io.reactivecomm.compression.internal.call;

import io.reactivecomm.CommException;
import io.reactivecomm.CompositeCall;
import io.reactivecomm.ProcessGroup;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;

/**
 * One run of a composite call whose end waits for the end of its body. The body is cancelled when the composite fails; but threads of this module may be at the tensors then,
 * and who hears of the end may reuse them.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Lasting {

    private volatile @Nullable Mono<Void> begun;
    private final Sinks.Empty<Void> failed = Sinks.empty();

    private Lasting() {}

    /**
     * {@return the end of what a device does, while the call of the subscriber goes on} If that fails it is an error at once: a device may never end,
     * no thread of this module is at anything meanwhile, and tensors are the group's until the device lets go of them.
     */
    public static Mono<Void> whileItGoesOn(Mono<Void> end) {
        return Mono.deferContextual(context -> {
            Optional<Lasting> call = context.getOrEmpty(Lasting.class);
            return call.isEmpty()
                    ? end
                    : Mono.firstWithSignal(end, call.get().failed.asMono().then(Mono.error(Lasting::unawaited)));
        });
    }

    private static CommException unawaited() {
        return new CommException(
                "a device was not waited for, since the call has failed; look at the call's own error");
    }

    /** {@return the composite call, assembled now; each subscription is a run} */
    public static <T> Mono<T> composite(CompositeCall call, Function<ProcessGroup, Mono<T>> body) {
        Mono<T> runs = call.mono(inside ->
                Mono.deferContextual(context -> context.get(Lasting.class).begin(body.apply(inside))));
        return Mono.defer(() -> {
            Lasting own = new Lasting();
            return runs.onErrorResume(error -> own.over(error))
                    .contextWrite(context -> context.put(Lasting.class, own));
        });
    }

    private <T> Mono<T> begin(Mono<T> body) {
        Mono<T> lasting = Mono.<T>create(sink -> subscribe(body, sink)).cache();
        begun = lasting.then();
        return lasting;
    }

    /** A body may throw what is fatal as it is subscribed to, such as a codec that misses a class; without this its end would be waited for. */
    private static <T> void subscribe(Mono<T> body, MonoSink<T> sink) {
        try {
            body.contextWrite(sink.contextView()).subscribe(sink::success, sink::error, sink::success);
        } catch (RuntimeException | Error e) {
            sink.error(e);
            Exceptions.throwIfJvmFatal(e);
        }
    }

    /** {@return the error, at the end of the body, however that ends} */
    private <T> Mono<T> over(Throwable error) {
        failed.tryEmitEmpty();
        Mono<Void> lasting = begun;
        return lasting == null ? Mono.error(error) : lasting.onErrorComplete().then(Mono.error(error));
    }
}

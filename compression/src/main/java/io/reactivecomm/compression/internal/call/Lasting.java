package io.reactivecomm.compression.internal.call;

import io.reactivecomm.CompositeCall;
import io.reactivecomm.ProcessGroup;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * One run of a composite call whose end waits for the end of its body. The body is cancelled when the composite fails; but threads of this module may be at the tensors then,
 * and who hears of the end may reuse them.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Lasting {

    private volatile @Nullable Mono<Void> begun;

    private Lasting() {}

    /** {@return the composite call, assembled now; each subscription is a run} */
    public static <T> Mono<T> composite(CompositeCall call, Function<ProcessGroup, Mono<T>> body) {
        Mono<T> runs = call.mono(inside -> Mono.deferContextual(context -> context.get(Lasting.class).begin(body.apply(inside))));
        return Mono.defer(() -> {
            Lasting own = new Lasting();
            return runs.onErrorResume(error -> own.over().then(Mono.error(error))).contextWrite(context -> context.put(Lasting.class, own));
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

    /** {@return the end of the body, however it ends} */
    private Mono<Void> over() {
        Mono<Void> lasting = begun;
        return lasting == null ? Mono.empty() : lasting.onErrorComplete();
    }
}

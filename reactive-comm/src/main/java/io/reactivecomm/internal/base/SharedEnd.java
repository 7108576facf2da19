package io.reactivecomm.internal.base;

import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The end of something enqueued that depends on what was enqueued before it. It is taken from its source once, and signalled to any number of subscribers.
 *
 * <p>Programs enqueue long chains in which each call reads what the one before writes. So an end refers to nothing that it waited for once that is over, and the ends of a
 * chain are signalled one after the other: an error of the first would overflow the stack if each were signalled from within the one before.
 *
 * <p><b>Threads.</b> Any; signals come on the thread of the source.
 */
public final class SharedEnd {

    private static final ThreadLocal<DrainLoop> SIGNALS =
            ThreadLocal.withInitial(() -> DrainLoop.ofTasks(() -> {}, Thrown::on));

    private SharedEnd() {}

    /** {@return the end of a source, which is subscribed to now} */
    public static Mono<Void> of(Mono<Void> source) {
        Sinks.Empty<Void> end = Sinks.empty();
        source.subscribe(
                ignored -> {}, error -> signal(() -> end.tryEmitError(error)), () -> signal(end::tryEmitEmpty));
        return end.asMono();
    }

    private static void signal(Runnable signal) {
        SIGNALS.get().execute(signal);
    }
}

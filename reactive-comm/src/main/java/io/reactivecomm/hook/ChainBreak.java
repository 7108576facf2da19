package io.reactivecomm.hook;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The way past a chain of operators that is broken: Reactor makes no signal of what is fatal to the JVM, and the operators that it is thrown through are
 * left as they stood, so nothing behind them would hear of an end. Operators find it in their subscriber's context.
 *
 * <p><b>Threads.</b> Any.
 */
final class ChainBreak {

    private final Sinks.Empty<Void> error = Sinks.empty();

    static @Nullable ChainBreak of(ContextView context) {
        return context.getOrDefault(ChainBreak.class, null);
    }

    Context in(Context context) {
        return context.put(ChainBreak.class, this);
    }

    /** {@return what fails once a chain has broken} */
    Mono<Void> error() {
        return error.asMono();
    }

    /** Runs what only throws if it is fatal, and throws it on. */
    void watch(Runnable signal) {
        try {
            signal.run();
        } catch (Exception | Error e) {
            tell(e);
            throw e;
        }
    }

    /** The first counts. */
    void tell(Throwable thrown) {
        error.tryEmitError(thrown);
    }
}

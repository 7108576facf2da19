package io.reactivecomm.spi.engine;

import io.reactivecomm.CommException;
import io.reactivecomm.device.Handle;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The handle of what an engine has enqueued, to be told of its end. Tensors are given back before anybody hears that the result is there: so who hears of it
 * may close or reuse them.
 *
 * <p><b>Threads.</b> Any; whoever tells of an end runs what waits for it.
 */
public class EnqueuedHandle implements Handle {

    private final Sinks.Empty<Void> completed = Sinks.empty();
    private final Sinks.Empty<Void> released = Sinks.empty();

    /** One of what has been enqueued. */
    public EnqueuedHandle() {}

    /** The result is in the tensors, and nothing touches them any more. */
    public final void succeeded() {
        letGo();
        completed.tryEmitEmpty();
    }

    /**
     * There will be no result. Tell of {@link #letGo} before, if nothing touches the tensors any more, and else when that is so.
     *
     * @param cause what programs hear: a {@link CommException}, which is made of it if it is none
     */
    public final void failed(Throwable cause) {
        completed.tryEmitError(
                cause instanceof CommException
                        ? cause
                        : new CommException("what was enqueued failed: cause=" + CommException.describe(cause), cause));
    }

    /** Nothing touches the tensors any more. Idempotent. */
    public final void letGo() {
        released.tryEmitEmpty();
    }

    @Override
    public final Mono<Void> completed() {
        return completed.asMono();
    }

    @Override
    public final Mono<Void> released() {
        return released.asMono();
    }
}

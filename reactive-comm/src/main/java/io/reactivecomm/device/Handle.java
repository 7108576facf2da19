package io.reactivecomm.device;

import io.reactivecomm.CommException;
import reactor.core.publisher.Mono;

/**
 * A hold on what has been enqueued on a device and may still run there: a call, or a copy.
 *
 * <p>An engine's own kind of handle can be waited for on the device, too: work that is enqueued after such a wait sees the result, and the host meets
 * neither. Where nothing is enqueued, as on links, a call's handle is {@link #DONE}.
 *
 * <p><b>Threads.</b> Any.
 */
public interface Handle {

    /** That of what is over. */
    Handle DONE = Mono::empty;

    /**
     * {@return a Mono that completes once the result is in the tensors, for the host too, or fails with the {@link CommException} for which it never
     * will be} Cold; any number may subscribe, at any time. Signals come on a thread of the engine's, which is not to be held up.
     */
    Mono<Void> completed();

    /**
     * {@return a Mono that completes once the device touches the tensors no more; never, if that will not be known}
     * On success that is before {@link #completed()} does. After an error it may be later: no engine can take back what its library has begun.
     */
    default Mono<Void> released() {
        return completed().onErrorComplete();
    }
}

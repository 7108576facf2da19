package io.reactivecomm;

import reactor.core.publisher.Mono;

/**
 * A piece of work that was handed to a device, to wait for.
 *
 * <p><b>Threads.</b> Any.
 */
public interface Handle {

    /** The handle of what is done already. */
    Handle DONE = Mono::empty;

    /**
     * {@return a Mono that completes once the work is done, and fails if the device has failed it; at once if it has ended already}
     *
     * <p><b>Subscription and cancellation.</b> The work goes on whoever subscribes or cancels. The signal comes on a thread of the engine or of the
     * subscriber, which may be one that must not block.
     */
    Mono<Void> completed();
}

package io.reactivecomm.timing;

import io.reactivecomm.observe.CommObserver;
import org.jspecify.annotations.Nullable;

/**
 * Whoever is told of what a timing operator times: its calls, which may end after its subscription, and that.
 *
 * <p><b>Threads.</b> Any; several at once.
 */
interface Timekeeper extends CommObserver {

    /**
     * A subscription is over; its subscriber is told after this.
     *
     * @param error why it failed, a {@link java.util.concurrent.CancellationException} if it was cancelled, or null
     * @param calls that have begun under it
     */
    void over(long nanos, @Nullable Throwable error, long calls);
}

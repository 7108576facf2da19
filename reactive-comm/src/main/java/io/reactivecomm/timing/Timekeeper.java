package io.reactivecomm.timing;

import io.reactivecomm.observe.ObservedCall;
import org.jspecify.annotations.Nullable;

/**
 * Whoever is told of what a timing operator times.
 *
 * <p><b>Threads.</b> Any; several at once.
 */
interface Timekeeper {

    /** A call under the operator has ended, perhaps after its subscription. @param error why it failed, or null */
    void heard(ObservedCall call, @Nullable Throwable error, long nanos);

    /**
     * A subscription is over; its subscriber is told after this.
     *
     * @param error why it failed, a {@link java.util.concurrent.CancellationException} if it was cancelled, or null
     * @param calls that have begun under it
     */
    void over(long nanos, @Nullable Throwable error, long calls);
}

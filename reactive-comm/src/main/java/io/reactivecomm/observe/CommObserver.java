package io.reactivecomm.observe;

import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * An onlooker of what calls do on this rank: of a whole world's by {@code CommConfig.withObserver}, of one group's by {@code ProcessGroup.observe}.
 *
 * <pre>
 *   subscribed ──&gt; matched (for each peer, as it joins) ──&gt; firstByte ──&gt; lastByte ──&gt; ended
 * </pre>
 *
 * <p>Of one call they come in this order but for {@code matched} and {@code firstByte}, which cross; the end comes always, and once. What an engine does
 * not know is not told: of a call that another engine than the one over links performs these are its beginning and its end. A call that is refused
 * before it begins has both, too.
 *
 * <p><b>Threads.</b> They run where it happens: {@link #subscribed} on the subscriber's thread, the rest on the rank's loop once the frames of the event
 * are written, or on the thread that refuses a late call. Several may run at once. They must be short, must not block, and must not make calls.
 *
 * <p><b>Errors.</b> One that throws, whatever it is, is logged and hears nothing more; the call, the rank and other observers go on.
 */
public interface CommObserver {

    /**
     * {@return whether calls are to carry the place of the program where they are assembled} That is a walk of the stack, some microseconds for each call of
     * whatever it observes, so it is for debugging. It concerns calls that are assembled from when it begins to observe, and is asked once, then.
     * Other ranks hear nothing of it.
     */
    default boolean wantsCallSites() {
        return false;
    }

    /**
     * A call was subscribed to; no other rank knows of it yet.
     *
     * @param context Reactor's, of the subscriber
     */
    default void subscribed(ObservedCall call, ContextView context) {}

    /**
     * A rank that this one exchanges something with has made the same call.
     *
     * @param peer its rank in the group
     * @param nanos when that became known here, by the loop's clock
     */
    default void matched(ObservedCall call, int peer, long nanos) {}

    /**
     * The first payload of the call has left this rank or has come to it. A call without elements, such as a barrier, has none.
     *
     * @param nanos when, by the loop's clock
     */
    default void firstByte(ObservedCall call, long nanos) {}

    /** The last payload of a call that succeeded had left or come. Told with the end, if there was any. @param nanos when, by the loop's clock */
    default void lastByte(ObservedCall call, long nanos) {}

    /**
     * The call is over on this rank.
     *
     * @param error what its subscriber is told, or null if it succeeded
     * @param nanos when, by the loop's clock
     */
    default void ended(ObservedCall call, @Nullable Throwable error, long nanos) {}

    /** Something happened that is none of a call's. */
    default void happened(CommEvent event) {}
}

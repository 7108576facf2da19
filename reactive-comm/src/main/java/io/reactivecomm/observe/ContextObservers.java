package io.reactivecomm.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The observers in Reactor's Context: they hear of the calls that are subscribed to under it, whatever operators, composite calls, buckets or streams stand
 * between. One that observes their group as well hears of each once.
 *
 * {@snippet :
 * group.allReduce(gradients, ReduceOp.SUM)
 *         .map(Work::durationNanos)
 *         .contextWrite(context -> ContextObservers.put(context, observer));
 * }
 *
 * <p>An operator that subscribes without its subscriber's Context takes what is before it out of their sight. A call's own group is told of it all the same.
 * They are not asked for {@link CommObserver#wantsCallSites call sites}, since a call is assembled before it has a Context.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ContextObservers {

    private static final Object KEY = ContextObservers.class;

    private static final List<CommObserver> NOBODY = List.of();

    private ContextObservers() {}

    /** {@return the Context with one observer more} */
    public static Context put(Context context, CommObserver observer) {
        List<CommObserver> more = new ArrayList<>(in(context));
        more.add(new CarriedObserver(observer));
        return context.put(KEY, List.copyOf(more));
    }

    /** {@return those in a Context, the outermost first} */
    public static List<CommObserver> in(ContextView context) {
        return Objects.requireNonNullElse(context.getOrDefault(KEY, NOBODY), NOBODY);
    }

    /** {@return what a program put into the Context, of one that was found there; any other observer itself} */
    public static CommObserver unwrapped(CommObserver observer) {
        return observer instanceof CarriedObserver carried ? carried.observer() : observer;
    }

    /** {@return a Context that has the observers, and nothing else} For calls inside, which are no matter of whatever else a program puts there. */
    public static Context alone(ContextView context) {
        List<CommObserver> observers = in(context);
        return observers.isEmpty() ? Context.empty() : Context.of(KEY, observers);
    }
}

package io.reactivecomm.timing;

import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ContextObservers;
import io.reactivecomm.observe.ObservedCall;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * One subscription of a timing operator: it travels in the Context with its keeper, and counts the calls that are subscribed to under it.
 *
 * <p><b>Threads.</b> Any.
 */
final class TimedRun implements CommObserver {

    /** Reactor's, so that who tests with virtual time has it here. */
    private final Scheduler clock = Schedulers.parallel();

    private final long begunAt = now();
    private final Timekeeper keeper;
    private final AtomicLong calls = new AtomicLong();
    private final AtomicBoolean isOver = new AtomicBoolean();

    TimedRun(Timekeeper keeper) {
        this.keeper = keeper;
    }

    private long now() {
        return clock.now(TimeUnit.NANOSECONDS);
    }

    /** {@return the Context of what comes before the operator} */
    Context in(Context behind) {
        return ContextObservers.put(ContextObservers.put(behind, keeper), this);
    }

    /** {@return how long it has been going on} */
    long nanos() {
        return now() - begunAt;
    }

    long calls() {
        return calls.get();
    }

    /** The subscription is over; the first time counts. */
    void over(@Nullable Throwable error) {
        if (isOver.compareAndSet(false, true)) {
            keeper.over(nanos(), error, calls());
        }
    }

    @Override
    public void subscribed(ObservedCall call, ContextView context) {
        calls.incrementAndGet();
    }
}

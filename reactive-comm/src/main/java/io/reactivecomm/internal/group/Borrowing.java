package io.reactivecomm.internal.group;

import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.spi.Failure;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** A sink that holds its call's tensors until it is told of the end, of which it tells the call's observers first. */
public abstract class Borrowing extends BorrowedTensors implements CallSink {

    private @Nullable Observation observation;

    protected Borrowing() {
        super(false);
    }

    @Override
    public final @Nullable Observation observation() {
        return observation;
    }

    /** @param call what tells of it, or null if nobody observes it */
    final void observed(@Nullable Observation call) {
        observation = call;
    }

    /** {@return who is told of the end} */
    abstract CoreSubscriber<?> subscriber();

    /** {@return the subscriber's Context} */
    final ContextView context() {
        return context(subscriber());
    }

    /** Calls go on without one if the subscriber throws: other ranks count on them. */
    static ContextView context(CoreSubscriber<?> subscriber) {
        try {
            return subscriber.currentContext();
        } catch (RuntimeException e) {
            return Context.empty();
        }
    }

    /** The subscriber has its subscription, and the call is about to begin. */
    final void begins(CoreSubscriber<?> subscriber) {
        if (observation != null) {
            observation.subscribed(context(subscriber));
        }
    }

    /** Gives the tensors back, and tells the observers of the end. @param failure why it failed, or null */
    protected final void over(@Nullable Failure failure) {
        try {
            giveBack();
        } finally {
            if (observation != null) {
                observation.ended(failure == null ? null : failure.toException());
            }
        }
    }
}

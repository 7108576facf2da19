package io.reactivecomm.internal.group;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.base.Thrown;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.internal.switches.Switches;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * A sink that borrows its call's tensors from the subscription to the terminal signal, also if that waits for demand. It notifies the call's observers before
 * the subscriber.
 */
public abstract class Borrowing extends BorrowedTensors implements CallSink {

    private @Nullable Observation observation;
    private String operation = "";
    private @Nullable CallKey key;
    private @Nullable Object order;
    private @Nullable Switches switches;

    protected Borrowing() {
        super(false);
    }

    @Override
    public final @Nullable Observation observation() {
        return observation;
    }

    /**
     * Borrows a call's tensors.
     *
     * @param identity of the call; that of a message has no number yet
     * @param orderedBy the engine that performs it in the order of a device, or null
     * @throws io.reactivecomm.InvalidCallException if one is closed
     */
    final void borrow(Collective call, CallKey identity, @Nullable Object orderedBy) {
        operation = call.label();
        key = identity;
        order = orderedBy;
        borrow(call.tensors(), operation);
    }

    @Override
    protected final String operation() {
        return operation;
    }

    @Override
    protected final String label() {
        return key == null ? "" : key.label();
    }

    @Override
    final @Nullable Object order() {
        return order;
    }

    /** @param call what tells of it, or null if nobody observes it */
    final void observed(@Nullable Observation call) {
        observation = call;
    }

    /** @param state the switches when the call was assembled */
    final void assembledIn(Switches state) {
        switches = state;
    }

    /** {@return a failure of the call as this rank reports it} */
    protected final Failure own(Failure failure) {
        Switches state = switches;
        return state == null ? failure : state.withOwn(failure);
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
        } catch (Exception e) {
            Thrown.keepInterrupt(e);
            return Context.empty();
        }
    }

    /** The subscriber has its subscription, and the call is about to begin. */
    final void begins(CoreSubscriber<?> subscriber) {
        if (observation != null) {
            observation.subscribed(context(subscriber));
        }
    }

    /** Gives the tensors back, and notifies the observers of the end. @param failure why it failed, or null */
    protected final void over(@Nullable Failure failure) {
        try {
            giveBack();
        } finally {
            notifyObservers(failure);
        }
    }

    /** The call has succeeded, and its signal waits for demand: notifies the observers. The tensors are to be {@linkplain #release released} before the signal. */
    final void overBeforeSignal() {
        try {
            ends();
        } finally {
            notifyObservers(null);
        }
    }

    private void notifyObservers(@Nullable Failure failure) {
        if (observation != null) {
            observation.ended(failure == null ? null : failure.toException());
        }
    }
}

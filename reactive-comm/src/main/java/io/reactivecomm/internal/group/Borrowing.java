package io.reactivecomm.internal.group;

import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.spi.Failure;
import org.jspecify.annotations.Nullable;
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

    /** The subscriber has its subscription, and the call is about to begin. */
    final void begins(ContextView context) {
        if (observation != null) {
            observation.subscribed(context);
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

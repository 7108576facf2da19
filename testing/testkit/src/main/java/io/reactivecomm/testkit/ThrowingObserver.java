package io.reactivecomm.testkit;

import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.testkit.ObserverNotes.Kind;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/** An observer that throws at one kind of news. */
public final class ThrowingObserver implements CommObserver {

    private final Kind at;
    private int count;

    public ThrowingObserver(Kind at) {
        this.at = at;
    }

    /** {@return how often it has thrown} */
    public synchronized int count() {
        return count;
    }

    private synchronized void told(Kind kind) {
        if (kind == at) {
            count++;
            throw new IllegalStateException("on purpose");
        }
    }

    @Override
    public void subscribed(ObservedCall call, ContextView context) {
        told(Kind.SUBSCRIBED);
    }

    @Override
    public void matched(ObservedCall call, int peer, long nanos) {
        told(Kind.MATCHED);
    }

    @Override
    public void firstByte(ObservedCall call, long nanos) {
        told(Kind.FIRST_BYTE);
    }

    @Override
    public void lastByte(ObservedCall call, long nanos) {
        told(Kind.LAST_BYTE);
    }

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        told(Kind.ENDED);
    }
}

package io.reactivecomm.observe;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/** An observer in a Context, which hears nothing more once it has thrown: each call under the Context finds it anew. */
final class CarriedObserver implements CommObserver {

    private final CommObserver observer;
    private volatile boolean hasThrown;

    CarriedObserver(CommObserver observer) {
        this.observer = observer;
    }

    private void tell(Consumer<CommObserver> news) {
        if (hasThrown) {
            return;
        }
        try {
            news.accept(observer);
        } catch (Throwable e) {
            hasThrown = true;
            throw e;
        }
    }

    @Override
    public void subscribed(ObservedCall call, ContextView context) {
        tell(each -> each.subscribed(call, context));
    }

    @Override
    public void matched(ObservedCall call, int peer, long nanos) {
        tell(each -> each.matched(call, peer, nanos));
    }

    @Override
    public void firstByte(ObservedCall call, long nanos) {
        tell(each -> each.firstByte(call, nanos));
    }

    @Override
    public void lastByte(ObservedCall call, long nanos) {
        tell(each -> each.lastByte(call, nanos));
    }

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        tell(each -> each.ended(call, error, nanos));
    }

    CommObserver observer() {
        return observer;
    }
}

package io.reactivecomm.hook;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One subscription to a chain of hooks, which ends with every hook subscribed to: what an operator behind them has left out by then, such as
 * {@code take(0)}, is subscribed to and left at once. Other ranks would wait for its composite call, or meet that of the next step in its place.
 *
 * <p><b>Threads.</b> Any.
 */
final class ChainRun implements CoreSubscriber<Gradient>, Subscription {

    private final List<? extends Flux<Gradient>> outputs;
    private final CoreSubscriber<? super Gradient> subscriber;
    private final Context context;
    private final BitSet begun = new BitSet();
    private boolean isOver;
    private volatile Subscription gradients = Operators.emptySubscription();

    /** @param outputs what comes out of each hook, the last one's last */
    ChainRun(HookChain chain, List<? extends Flux<Gradient>> outputs, CoreSubscriber<? super Gradient> subscriber) {
        this.outputs = outputs;
        this.subscriber = subscriber;
        this.context = chain.in(subscriber.currentContext(), this);
    }

    /** Subscribes to the last hook, and that to those before it. */
    void subscribe() {
        try {
            outputs.getLast().subscribe(this);
        } catch (RuntimeException | Error e) {
            end(e);
            throw e;
        }
    }

    /**
     * {@return whether a hook's output may be subscribed to} Not by whoever comes after the end.
     *
     * @param leaves whether that is to leave it at once
     */
    synchronized boolean begins(int hook, boolean leaves) {
        if (isOver && (!leaves || begun.get(hook))) {
            return false;
        }
        begun.set(hook);
        return true;
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        gradients = subscription;
        subscriber.onSubscribe(this);
    }

    @Override
    public void onNext(Gradient gradient) {
        subscriber.onNext(gradient);
    }

    @Override
    public void onError(Throwable error) {
        end(error);
        subscriber.onError(error);
    }

    @Override
    public void onComplete() {
        end(null);
        subscriber.onComplete();
    }

    @Override
    public void request(long count) {
        gradients.request(count);
    }

    @Override
    public void cancel() {
        gradients.cancel();
        end(null);
    }

    /** From the last one on: it subscribes to those in front, which then have nothing more to do. */
    private void end(@Nullable Throwable error) {
        if (ends()) {
            outputs.reversed().forEach(each -> leave(each, error));
        }
    }

    private synchronized boolean ends() {
        boolean isFirst = !isOver;
        isOver = true;
        return isFirst && begun.cardinality() < outputs.size();
    }

    private void leave(Flux<Gradient> output, @Nullable Throwable error) {
        Leaving leaving = new Leaving(HookChain.leaving(context, error));
        try {
            output.subscribe(leaving);
        } catch (RuntimeException | Error e) {
            // The other hooks come first, whatever an operator between them throws; what ended the run is told.
            Operators.onErrorDropped(e, leaving.currentContext());
        }
    }

    /** The subscriber of a hook that has no other. The context says why, if that is an error. */
    private static final class Leaving extends BaseSubscriber<Gradient> {

        private final Context context;

        Leaving(Context context) {
            this.context = context;
        }

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            cancel();
        }
    }
}

package io.reactivecomm.hook;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Gradients whose subscriber hears of what is thrown while they are subscribed to or asked for, before it is thrown on. Reactor makes no signal of what is
 * fatal to the JVM, such as memory that a backward pass has not got, and the other ranks would wait for their deadline.
 *
 * <p><b>Threads.</b> As the gradients' own. What is thrown where neither is under way, on a thread of the backward pass's own, is not seen.
 */
final class GuardedSource extends Flux<Gradient> {

    private final Flux<Gradient> gradients;
    private final BooleanSupplier isFirst;

    /** @param isFirst whether no operator in front is at work, which would hear of it by itself and pass it on when it is over */
    GuardedSource(Flux<Gradient> gradients, BooleanSupplier isFirst) {
        this.gradients = gradients;
        this.isFirst = isFirst;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Gradient> subscriber) {
        Guarded guarded = new Guarded(subscriber);
        guarded.run(() -> gradients.subscribe(guarded));
    }

    private final class Guarded implements CoreSubscriber<Gradient>, Subscription {

        private final CoreSubscriber<? super Gradient> subscriber;
        private @Nullable Subscription source;
        private volatile boolean isOver;

        Guarded(CoreSubscriber<? super Gradient> subscriber) {
            this.subscriber = subscriber;
        }

        void run(Runnable action) {
            try {
                action.run();
            } catch (Exception | Error e) {
                // Without a subscription nothing comes from in front either: an operator in between is broken.
                if (source == null || isFirst.getAsBoolean()) {
                    died(e);
                }
                throw e;
            }
        }

        private void died(Throwable thrown) {
            if (source == null) {
                onSubscribe(Operators.emptySubscription());
            }
            onError(thrown);
        }

        @Override
        public Context currentContext() {
            return subscriber.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            source = subscription;
            subscriber.onSubscribe(this);
        }

        @Override
        public void onNext(Gradient gradient) {
            if (!isOver) {
                subscriber.onNext(gradient);
            }
        }

        @Override
        public void onError(Throwable error) {
            if (!isOver) {
                isOver = true;
                subscriber.onError(error);
            }
        }

        @Override
        public void onComplete() {
            if (!isOver) {
                isOver = true;
                subscriber.onComplete();
            }
        }

        @Override
        public void request(long n) {
            Subscription of = source;
            if (of != null) {
                run(() -> of.request(n));
            }
        }

        @Override
        public void cancel() {
            Subscription of = source;
            isOver = true;
            if (of != null) {
                of.cancel();
            }
        }
    }
}

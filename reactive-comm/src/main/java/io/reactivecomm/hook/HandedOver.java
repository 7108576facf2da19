package io.reactivecomm.hook;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.util.context.Context;

/**
 * The gradients that come out of an operator, as its step {@linkplain ReducingPass#handOver hands them over}.
 *
 * <p><b>Threads.</b> As the gradients' own.
 */
final class HandedOver extends FluxOperator<Gradient, Gradient> {

    private final ReducingPass pass;

    HandedOver(Flux<Gradient> gradients, ReducingPass pass) {
        super(gradients);
        this.pass = pass;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Gradient> subscriber) {
        Handing handing = new Handing(subscriber, pass);
        source.subscribe(handing);
        handing.requireSubscribed();
    }

    private static final class Handing implements CoreSubscriber<Gradient> {

        private final CoreSubscriber<? super Gradient> subscriber;
        private final ReducingPass pass;
        /** What the subscriber threw as it was given its subscription, as something that throws it on. */
        private @Nullable Runnable thrown;

        Handing(CoreSubscriber<? super Gradient> subscriber, ReducingPass pass) {
            this.subscriber = subscriber;
            this.pass = pass;
        }

        @Override
        public Context currentContext() {
            return subscriber.currentContext();
        }

        /** Other ranks count on the step: where the subscriber throws, it opens all the same, and fails on all of them. */
        @Override
        public void onSubscribe(Subscription subscription) {
            try {
                pass.handOver(() -> subscriber.onSubscribe(subscription));
            } catch (Exception | Error e) {
                subscription.cancel();
                thrown = () -> {
                    throw e;
                };
            }
        }

        /** Throws on what the subscriber threw as it was given its subscription. */
        void requireSubscribed() {
            if (thrown != null) {
                thrown.run();
            }
        }

        @Override
        public void onNext(Gradient gradient) {
            pass.handOver(() -> subscriber.onNext(gradient));
        }

        @Override
        public void onError(Throwable error) {
            pass.handOver(() -> subscriber.onError(error));
        }

        @Override
        public void onComplete() {
            pass.handOver(subscriber::onComplete);
        }
    }
}

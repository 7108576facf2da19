package io.reactivecomm.hook;

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
        source.subscribe(new Handing(subscriber, pass));
    }

    private record Handing(CoreSubscriber<? super Gradient> subscriber, ReducingPass pass) implements CoreSubscriber<Gradient> {

        @Override
        public Context currentContext() {
            return subscriber.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscriber.onSubscribe(subscription);
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

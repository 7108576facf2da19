package io.reactivecomm.hook;

import io.reactivecomm.Work;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * The all-reduce of one gradient in a step, which brings the gradient back. What fails because the step has is no news: nothing comes then.
 *
 * <p><b>Threads.</b> Any.
 */
final class GradientMono extends Mono<Gradient> {

    private final HookStep step;
    private final Gradient gradient;

    GradientMono(HookStep step, Gradient gradient) {
        this.step = step;
        this.gradient = gradient;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Gradient> subscriber) {
        if (step.isOpen()) {
            // What is thrown here is a failure of the call like any other.
            Mono.defer(() -> step.call(gradient)).subscribe(new Reduced(subscriber));
        } else {
            Operators.complete(subscriber);
        }
    }

    /** The subscriber of the call. */
    private final class Reduced implements CoreSubscriber<Work> {

        private final CoreSubscriber<? super Gradient> subscriber;

        Reduced(CoreSubscriber<? super Gradient> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public Context currentContext() {
            return subscriber.currentContext();
        }

        @Override
        public void onSubscribe(Subscription call) {
            subscriber.onSubscribe(call);
        }

        @Override
        public void onNext(Work work) {}

        @Override
        public void onComplete() {
            subscriber.onNext(gradient);
            subscriber.onComplete();
        }

        @Override
        public void onError(Throwable error) {
            if (step.isNews()) {
                subscriber.onError(error);
            } else {
                subscriber.onComplete();
            }
        }
    }
}

package io.reactivecomm.hook;

import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * The gradients that a step takes from its source, until they end or are cut off.
 *
 * <p><b>Threads.</b> Any.
 */
final class GradientIntake extends Operators.DeferredSubscription implements CoreSubscriber<Gradient> {

    private final HookStep step;
    /** The cut comes on any thread. */
    private final CoreSubscriber<Gradient> subscriber;

    private GradientIntake(HookStep step, CoreSubscriber<? super Gradient> subscriber) {
        this.step = step;
        this.subscriber = Operators.serialize(subscriber);
    }

    /** {@return what a step takes of its source; an error of that fails the step everywhere} */
    static Flux<Gradient> of(Flux<Gradient> source, HookStep step) {
        return new FluxOperator<Gradient, Gradient>(source) {
            @Override
            public void subscribe(CoreSubscriber<? super Gradient> actual) {
                source.subscribe(new GradientIntake(step, actual));
            }
        };
    }

    @Override
    public Context currentContext() {
        return subscriber.currentContext();
    }

    /** Gradients are asked for once the step knows of this. */
    @Override
    public void onSubscribe(Subscription source) {
        subscriber.onSubscribe(this);
        step.subscribed(this);
        set(source);
    }

    @Override
    public void onNext(Gradient gradient) {
        subscriber.onNext(gradient);
    }

    @Override
    public void onError(Throwable error) {
        step.sourceFailed(error);
        subscriber.onError(error);
    }

    @Override
    public void onComplete() {
        step.allMade();
        subscriber.onComplete();
    }

    /** No more are taken. */
    void cut() {
        cancel();
        subscriber.onComplete();
    }
}

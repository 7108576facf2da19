package io.reactivecomm.internal.driver;

import java.util.function.Consumer;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.util.context.Context;

/**
 * A Mono that reports what its subscriber throws in {@code onNext} or {@code onComplete}, and rethrows it. The threads that connect ranks would only log it.
 *
 * <p><b>Threads.</b> As the source.
 */
final class WatchedMono<T> extends MonoOperator<T, T> {

    private final Consumer<Throwable> died;

    /** @param died takes what a subscriber throws */
    WatchedMono(Mono<T> source, Consumer<Throwable> died) {
        super(source);
        this.died = died;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> subscriber) {
        source.subscribe(new Watched<>(subscriber, died));
    }

    private record Watched<T>(CoreSubscriber<? super T> subscriber, Consumer<Throwable> died)
            implements CoreSubscriber<T> {

        @Override
        public Context currentContext() {
            return subscriber.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscriber.onSubscribe(subscription);
        }

        @Override
        public void onNext(T result) {
            watch(() -> subscriber.onNext(result));
        }

        @Override
        public void onError(Throwable error) {
            subscriber.onError(error);
        }

        @Override
        public void onComplete() {
            watch(subscriber::onComplete);
        }

        private void watch(Runnable signal) {
            try {
                signal.run();
            } catch (Exception | Error e) {
                died.accept(e);
                throw e;
            }
        }
    }
}

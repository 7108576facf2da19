package io.reactivecomm.internal.stream;

import java.util.function.Supplier;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * The result of work beside the loop, done anew at each subscription, for an operator that asks for all at once. It cannot be cancelled: whoever
 * leaves ignores it.
 */
final class OffLoopMono<T> extends Mono<T> implements Subscription {

    private final ResultLoop loop;
    private final Supplier<T> work;

    OffLoopMono(ResultLoop loop, Supplier<T> work) {
        this.loop = loop;
        this.work = work;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> subscriber) {
        subscriber.onSubscribe(this);
        loop.aside(
                work,
                result -> {
                    subscriber.onNext(result);
                    subscriber.onComplete();
                },
                subscriber::onError);
    }

    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
}

package io.reactivecomm.internal.group;

import io.reactivecomm.spi.CallKey;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A run whose body has many results, emitted as they arrive.
 *
 * <p><b>Threads.</b> Any.
 */
final class FluxRun<T> extends CompositeRun implements CoreSubscriber<T>, Subscription {

    private final CoreSubscriber<? super T> subscriber;

    /** @param subscriber accepts an error signal during {@code onNext}, and cancels if its own subscriber throws in {@code onSubscribe} */
    FluxRun(CompositePlan plan, CallKey.Ticket key, String site, CoreSubscriber<? super T> subscriber) {
        super(plan, key, site);
        this.subscriber = subscriber;
    }

    /** Begins the run. If the subscriber cancels at once the run begins all the same, and its body is not called. */
    void begin(Function<CompositeRun, ? extends Publisher<T>> body) {
        subscriber.onSubscribe(this);
        if (!isCancelled()) {
            run(() -> Flux.defer(() -> {
                        Publisher<T> made = made(body);
                        return made == null ? Flux.never() : made;
                    })
                    .subscribe(this));
        }
    }

    @Override
    CoreSubscriber<?> subscriber() {
        return subscriber;
    }

    @Override
    public Context currentContext() {
        return subscriber.currentContext();
    }

    @Override
    public void onNext(T item) {
        if (isDone()) {
            Operators.onNextDropped(item, currentContext());
        } else {
            subscriber.onNext(item);
        }
    }

    @Override
    void tell(@Nullable Throwable error) {
        if (error == null) {
            subscriber.onComplete();
        } else {
            subscriber.onError(error);
        }
    }

    @Override
    public void request(long items) {
        want(items);
    }

    @Override
    public void cancel() {
        cancelled();
    }
}

package io.reactivecomm.internal.group;

import io.reactivecomm.internal.stream.ResultSubscription;
import io.reactivecomm.spi.CallKey;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * A run whose body has one result or none, which is kept until all calls in the run have ended. Its claim ends just before the subscriber is given that
 * result, also if the demand is late.
 *
 * <p><b>Threads.</b> Any.
 */
final class MonoRun<T> extends CompositeRun implements CoreSubscriber<T> {

    private final ResultSubscription<T> subscriber;
    private final Consumer<? super T> discard;
    private @Nullable T result;

    /**
     * @param subscriber has its subscription, and is given the end
     * @param discard frees a result that nobody takes
     */
    MonoRun(
            CompositePlan plan,
            CallKey.Ticket key,
            String site,
            ResultSubscription<T> subscriber,
            Consumer<? super T> discard) {
        super(plan, key, site);
        this.subscriber = subscriber;
        this.discard = discard;
    }

    void begin(Function<CompositeRun, ? extends Mono<T>> body) {
        want(Long.MAX_VALUE);
        run(() -> Mono.defer(() -> {
                    Mono<T> made = made(body);
                    return made == null ? Mono.never() : made;
                })
                .subscribe(this));
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
        if (isFirstEnd()) {
            result = item;
            bodyEnded();
        } else {
            discard.accept(item);
        }
    }

    @Override
    boolean keepsUntilTold() {
        return true;
    }

    @Override
    void tell(@Nullable Throwable error) {
        T value = result;
        if (error == null && value != null) {
            subscriber.result(value, this::release);
            return;
        }
        try {
            release();
        } finally {
            tellWithoutResult(value, error);
        }
    }

    private void tellWithoutResult(@Nullable T discarded, @Nullable Throwable error) {
        if (error == null) {
            subscriber.onComplete();
            return;
        }
        if (discarded != null) {
            discard.accept(discarded);
        }
        subscriber.onError(error);
    }
}

package io.reactivecomm.internal.stream;

import java.util.function.Consumer;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * A cold operation, which each subscription begins anew and which then runs to its end, with one result or none.
 *
 * <p>{@code Mono.create} is no bridge for that: its sink completes empty if it is told of the end while the result waits for demand.
 *
 * <p><b>Threads.</b> Any; a result that was there before the demand is emitted by the executor.
 */
public final class ResultMono<T> extends Mono<T> {

    private final ResultLoop loop;
    private final Consumer<? super T> discard;
    private final Consumer<? super ResultSubscription<T>> beginning;

    /**
     * @param loop where late demand is answered, and whose death ends it
     * @param discard frees a result that nobody takes
     * @param beginning begins it at each subscription, and gives the subscriber its end
     */
    public ResultMono(ResultLoop loop, Consumer<? super T> discard, Consumer<? super ResultSubscription<T>> beginning) {
        this.loop = loop;
        this.discard = discard;
        this.beginning = beginning;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> subscriber) {
        ResultSubscription<T> result = new ResultSubscription<>(subscriber, loop, discard);
        try {
            subscriber.onSubscribe(result);
        } catch (Exception | Error e) {
            // It counts as one that cancels: other ranks count on what it has begun.
            result.cancel();
            throw e;
        } finally {
            result.begin(beginning);
        }
    }
}

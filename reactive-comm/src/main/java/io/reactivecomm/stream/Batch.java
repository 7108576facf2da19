package io.reactivecomm.stream;

import io.reactivecomm.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/**
 * Calls that are subscribed to together.
 *
 * <p>All of them at once, however many: with a bound on how many are under way, two ranks that list the same messages in opposite orders
 * would each wait for what the other has not begun.
 */
public final class Batch {

    private Batch() {}

    /**
     * {@return the results in the order of the calls, once all have ended; or the error of the call that failed first, with those of the
     * others as suppressed}
     * A call that ends without a result has none in the list.
     */
    public static Mono<List<Work>> of(List<? extends Mono<Work>> calls) {
        List<Mono<Work>> kept = List.copyOf(calls);
        return kept.isEmpty() ? Mono.just(List.of()) : Mono.defer(() -> all(kept));
    }

    private static Mono<List<Work>> all(List<Mono<Work>> calls) {
        Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
        List<Mono<Signal<Work>>> ends = calls.stream().map(call -> call.doOnError(errors::add).materialize()).toList();
        return Mono.zip(ends, signals -> Stream.of(signals).map(end -> ((Signal<?>) end).get()).toList())
                .flatMap(results -> errors.isEmpty() ? Mono.just(works(results)) : Mono.error(combined(errors)));
    }

    private static List<Work> works(List<? extends @Nullable Object> results) {
        List<Work> works = new ArrayList<>(results.size());
        for (Object result : results) {
            if (result instanceof Work work) {
                works.add(work);
            }
        }
        return works;
    }

    /** Calls that failed together may share one exception. */
    private static Throwable combined(Queue<Throwable> errors) {
        Throwable first = errors.remove();
        errors.stream().filter(each -> each != first).distinct().forEach(first::addSuppressed);
        return first;
    }
}

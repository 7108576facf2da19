package io.reactivecomm.internal.stream;

import io.reactivecomm.Work;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * Calls that are subscribed to together.
 *
 * <p>All of them at once, however many. With a bound on how many are under way, two ranks that list the same messages in opposite orders
 * would each wait for what the other has not begun. A subscriber that cancels, however early, is detached and the calls run, because the
 * other ranks count on them.
 *
 * <p><b>Threads.</b> Calls end on any.
 */
public final class Batch {

    private final CoreSubscriber<List<Work>> sink;
    private final AtomicReferenceArray<@Nullable Work> works;
    private final AtomicInteger left;
    private final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();

    private Batch(int size, CoreSubscriber<List<Work>> sink) {
        this.sink = sink;
        this.works = new AtomicReferenceArray<>(size);
        this.left = new AtomicInteger(size);
    }

    /**
     * {@return the results in the order of the calls, once all have ended, or the error of the call that failed first, with those of the
     * others as suppressed}
     * A call that ends without a result has none in the list.
     *
     * @param loop where the results are emitted if they were there before the demand
     */
    public static Mono<List<Work>> of(List<? extends Mono<Work>> calls, ResultLoop loop) {
        List<Mono<Work>> kept = copy(calls);
        if (kept.isEmpty()) {
            return Mono.just(List.of());
        }
        return new ResultMono<>(loop, results -> {}, sink -> new Batch(kept.size(), sink).subscribeTo(kept));
    }

    private static List<Mono<Work>> copy(List<? extends Mono<Work>> calls) {
        Objects.requireNonNull(calls, "a batch got no calls; give a list of them, perhaps an empty one");
        for (int i = 0; i < calls.size(); i++) {
            int index = i;
            Objects.requireNonNull(
                    calls.get(i),
                    () -> "a batch got a call that is none: index=" + index + ", calls=" + calls.size()
                            + "; leave it out");
        }
        return List.copyOf(calls);
    }

    private void subscribeTo(List<Mono<Work>> calls) {
        for (int i = 0; i < calls.size(); i++) {
            calls.get(i).subscribe(new Each(this, i));
        }
    }

    /** Takes one call's end. */
    private record Each(Batch batch, int place) implements CoreSubscriber<Work> {

        @Override
        public Context currentContext() {
            return batch.sink.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Work work) {
            batch.works.set(place, work);
        }

        @Override
        public void onError(Throwable error) {
            batch.failed(error);
        }

        @Override
        public void onComplete() {
            batch.ended();
        }
    }

    private void failed(Throwable error) {
        errors.add(error);
        ended();
    }

    private void ended() {
        if (left.decrementAndGet() > 0) {
            return;
        }
        Throwable first = errors.poll();
        if (first == null) {
            sink.onNext(IntStream.range(0, works.length())
                    .mapToObj(works::get)
                    .filter(Objects::nonNull)
                    .toList());
            sink.onComplete();
            return;
        }
        // Calls that failed together may share one exception, which cannot suppress itself.
        errors.stream().filter(each -> each != first).distinct().forEach(first::addSuppressed);
        sink.onError(first);
    }
}

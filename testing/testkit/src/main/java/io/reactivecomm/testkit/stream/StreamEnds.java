package io.reactivecomm.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** The two ends by which a case watches a stream: a source that counts, and a subscriber that asks when it is told to. */
public final class StreamEnds {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private StreamEnds() {}

    /** Tensors of one type and length, each filled with what its index gives. */
    static final class Source {

        final AtomicLong requested = new AtomicLong();
        final AtomicInteger emitted = new AtomicInteger();
        final CompletableFuture<@Nullable Void> cancelled = new CompletableFuture<>();
        private final TensorHome home;
        private final DType type;
        private final long count;
        private final int total;

        Source(TensorHome home, DType type, long count, int total) {
            this.home = home;
            this.type = type;
            this.count = count;
            this.total = total;
        }

        /** {@return the tensors, new ones; whoever is told of one closes it} */
        Flux<Tensor> tensors() {
            return Flux.<Tensor>generate(sink -> sink.next(tensor(emitted.getAndIncrement())))
                    .take(total)
                    .doOnRequest(n -> requested.accumulateAndGet(n, Math::addExact))
                    .doOnCancel(() -> cancelled.complete(null));
        }

        private Tensor tensor(int index) {
            Tensor tensor = Tensor.allocate(type, count);
            Inputs.fill(tensor.segment(), type, index, 0);
            return home.take(tensor, home.device(index));
        }

        void requireIsCancelled() {
            cancelled.orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
        }
    }

    /** Requires a tensor to be the one of that index. */
    public static void requireContent(Tensor tensor, int index) {
        long at = Inputs.mismatch(tensor.segment(), tensor.type(), index, 0);
        if (at >= 0) {
            throw new AssertionError("element " + at + " of " + tensor + " is not that of item " + index);
        }
    }

    /** Sends to the end, closes what has been sent and what was dropped on the way, and tells what became of it. */
    static CompletableFuture<Optional<Throwable>> drain(Flux<Tensor> sending) {
        CompletableFuture<Optional<Throwable>> end = new CompletableFuture<>();
        Flux<Tensor> closing = sending.doOnDiscard(Tensor.class, Tensor::close);
        closing.subscribe(
                Tensor::close, error -> end.complete(Optional.of(error)), () -> end.complete(Optional.empty()));
        return end;
    }

    /** {@return the error with which a stream ended, or nothing if it completed; within the limit} */
    static Optional<Throwable> end(CompletableFuture<Optional<Throwable>> ended) {
        return ended.orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    static void requireCompletes(CompletableFuture<Optional<Throwable>> ended) {
        assertThat(end(ended)).isEmpty();
    }

    /** {@return the error; requires that there is one of that type} */
    static <E extends Throwable> E requireError(CompletableFuture<Optional<Throwable>> ended, Class<E> type) {
        Throwable error = end(ended).orElseThrow();
        assertThat(error).isInstanceOf(type);
        return type.cast(error);
    }

    /** Goes round all ranks so often that what is on its way has arrived. */
    static void settle(List<ProcessGroup> groups) {
        for (int i = 0; i < 5; i++) {
            WorldContract.all(groups, ProcessGroup::barrier);
        }
    }

    /** Takes tensors in the order of their indices, and closes them. */
    static final class Reader extends BaseSubscriber<Tensor> {

        final CompletableFuture<Optional<Throwable>> end = new CompletableFuture<>();
        final AtomicInteger taken = new AtomicInteger();
        final ConcurrentLinkedQueue<AssertionError> faults = new ConcurrentLinkedQueue<>();
        private final long atOnce;
        private final int cancelAfter;
        private volatile CompletableFuture<@Nullable Void> reached = new CompletableFuture<>();
        private volatile int goal;

        /** @param cancelAfter how many it takes before it cancels, or -1 for all */
        Reader(long atOnce, int cancelAfter) {
            this.atOnce = atOnce;
            this.cancelAfter = cancelAfter;
        }

        /** Asks for as many at once as it is to, and takes all. */
        static Reader of(long atOnce) {
            return new Reader(atOnce, -1);
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            if (cancelAfter == 0) {
                cancel();
            } else if (atOnce > 0) {
                request(atOnce);
            }
        }

        @Override
        protected void hookOnNext(Tensor tensor) {
            int index = taken.get();
            try {
                requireContent(tensor, index);
            } catch (AssertionError e) {
                faults.add(e);
            }
            tensor.close();
            taken.incrementAndGet();
            if (index + 1 == cancelAfter) {
                cancel();
            } else if (index + 1 == goal) {
                reached.complete(null);
            } else if (atOnce > 0 && atOnce < Long.MAX_VALUE && (index + 1) % atOnce == 0) {
                request(atOnce);
            }
        }

        @Override
        protected void hookOnComplete() {
            end.complete(Optional.empty());
        }

        @Override
        protected void hookOnError(Throwable error) {
            end.complete(Optional.of(error));
        }

        /** Before it asks for anything: it pauses when it has taken so many. */
        Reader pausingAt(int count) {
            goal = count;
            return this;
        }

        /** Waits until it pauses. */
        void awaitPause() {
            reached.orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
        }

        /** Waits until it pauses or ends. {@return whether it pauses} */
        boolean pausesBeforeItEnds() {
            CompletableFuture.anyOf(reached, end)
                    .orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
            return !end.isDone();
        }

        /** Goes on, to pause again at so many. */
        void goOnTo(int count) {
            reached = new CompletableFuture<>();
            goal = count;
            request(atOnce);
        }

        void requireTook(int count) {
            assertThat(faults).isEmpty();
            assertThat(taken).hasValue(count);
        }
    }
}

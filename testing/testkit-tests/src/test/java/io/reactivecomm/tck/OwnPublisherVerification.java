package io.reactivecomm.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.AfterClass;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/**
 * The Reactive Streams TCK for a publisher between two ranks.
 *
 * <p>Reactor puts a guard between its publishers and subscribers that are not its own. Here there is none: what is tested is the library's
 * own subscription.
 */
abstract class OwnPublisherVerification<T> extends PublisherVerification<T> {

    /** Waited in full only by a test that fails. */
    private static final long TIMEOUT_MILLIS = 20_000;

    /** Waited in full by each test that expects silence. A signal that comes later is missed, never invented. */
    private static final long SILENCE_MILLIS = 50;

    /** Between two looks for an error. */
    private static final long POLL_MILLIS = 5;

    /** Between a cancellation and the collection of the subscriber. */
    private static final long COLLECTION_MILLIS = 500;

    private final LocalWorld world = ReactiveComm.local(2);
    private final LocalWorld closed = ReactiveComm.local(2);

    OwnPublisherVerification() {
        super(new TestEnvironment(TIMEOUT_MILLIS, SILENCE_MILLIS, POLL_MILLIS), COLLECTION_MILLIS);
        closed.close();
    }

    @AfterClass(alwaysRun = true)
    public void closeWorld() {
        world.close();
    }

    final ProcessGroup here() {
        return world.groups().get(0);
    }

    final ProcessGroup there() {
        return world.groups().get(1);
    }

    /** {@return a group in which every call fails} */
    final ProcessGroup ended() {
        return closed.groups().get(0);
    }

    /** {@return a publisher that makes, at each subscription, another call, whose other ranks it has begin theirs} */
    static <T> Publisher<T> unguarded(Supplier<? extends Publisher<T>> call) {
        return subscriber -> {
            Objects.requireNonNull(subscriber);
            Publisher<T> publisher = call.get();
            publisher.subscribe(new Unguarded<>(subscriber));
        };
    }

    /** Counts as one of Reactor's own, and passes everything on. */
    private static final class Unguarded<T> implements CoreSubscriber<T> {

        private final Subscriber<? super T> subscriber;
        private final CountDownLatch ended = new CountDownLatch(1);

        private Unguarded(Subscriber<? super T> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscriber.onSubscribe(new Subscription() {

                @Override
                public void request(long n) {
                    subscription.request(n);
                    if (n <= 0) {
                        awaitEnd();
                    }
                }

                @Override
                public void cancel() {
                    subscription.cancel();
                }
            });
        }

        /** Whatever time the kit is given for the error of such a request, it looks for it once, after the shortest. */
        private void awaitEnd() {
            try {
                assertThat(ended.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted while an error was awaited", e);
            }
        }

        @Override
        public void onNext(T value) {
            if (value instanceof AutoCloseable resource) {
                close(resource);
            }
            subscriber.onNext(value);
        }

        private static void close(AutoCloseable resource) {
            try {
                resource.close();
            } catch (Exception e) {
                throw new AssertionError("a tensor or a group throws when it is closed", e);
            }
        }

        @Override
        public void onError(Throwable error) {
            subscriber.onError(error);
            ended.countDown();
        }

        @Override
        public void onComplete() {
            subscriber.onComplete();
            ended.countDown();
        }
    }

    /** Runs the other rank's part to its end. */
    static void run(Publisher<?> other) {
        Flux.from(other).subscribe(ignored -> {}, ignored -> {});
    }
}

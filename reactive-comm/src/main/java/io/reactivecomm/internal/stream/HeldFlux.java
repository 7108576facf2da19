package io.reactivecomm.internal.stream;

import io.reactivecomm.internal.base.Thrown;
import io.reactivecomm.internal.stream.ResultLoop.Awaited;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.util.context.Context;

/**
 * A Flux whose subscriber is told if a fatal error ends the world, which may have broken the chain of operators behind it.
 *
 * <p><b>Threads.</b> As the Flux's own. An error may come from any thread, as may the news of the world's death: it waits for a signal that another
 * thread is at.
 */
public final class HeldFlux<T> extends Flux<T> {

    private final ResultLoop loop;
    private final Consumer<? super CoreSubscriber<T>> beginning;

    /**
     * @param loop whose death ends it
     * @param beginning begins it at each subscription, and gives the subscriber its signals
     */
    public HeldFlux(ResultLoop loop, Consumer<? super CoreSubscriber<T>> beginning) {
        this.loop = loop;
        this.beginning = beginning;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> subscriber) {
        beginning.accept(new Held<>(subscriber, loop));
    }

    private static final class Held<T> implements CoreSubscriber<T>, Subscription, Awaited {

        private final CoreSubscriber<? super T> subscriber;
        private final ResultLoop loop;
        /** How many are at a signal, or would be. */
        private final AtomicInteger signals = new AtomicInteger();

        private @Nullable Subscription source;
        private volatile @Nullable Throwable broken;
        /** Whether the subscriber has been told of the end, or has left. */
        private final AtomicBoolean isOver = new AtomicBoolean();

        private Held(CoreSubscriber<? super T> subscriber, ResultLoop loop) {
            this.subscriber = subscriber;
            this.loop = loop;
        }

        @Override
        public Context currentContext() {
            return subscriber.currentContext();
        }

        /** A subscriber that throws counts as one that cancels. */
        @Override
        public void onSubscribe(Subscription subscription) {
            source = subscription;
            loop.hold(this);
            try {
                subscriber.onSubscribe(this);
            } catch (Exception | Error e) {
                cancel();
                throw e;
            }
        }

        @Override
        public void onNext(T item) {
            signals.getAndIncrement();
            try {
                // Once it is broken off, the subscriber may be told of that at any moment.
                if (!isOver.get() && broken == null) {
                    subscriber.onNext(item);
                }
            } catch (Exception | Error e) {
                dropped(e);
            } finally {
                leave();
            }
        }

        /** A subscriber that throws breaks the Reactive Streams rules, and counts as one that has cancelled. A fatal error ends the world, which notifies it. */
        private void dropped(Throwable thrown) {
            if (Exceptions.isJvmFatal(thrown)) {
                Thrown.on(thrown);
            }
            cancel();
            SubscriberFaults.drop(thrown, subscriber);
        }

        @Override
        public void onError(Throwable error) {
            loop.letGo(this);
            breakOff(error);
        }

        @Override
        public void onComplete() {
            loop.letGo(this);
            signals.getAndIncrement();
            try {
                if (isOver.compareAndSet(false, true)) {
                    subscriber.onComplete();
                }
            } catch (Exception | Error e) {
                dropped(e);
            } finally {
                leave();
            }
        }

        @Override
        public void worldDied(Throwable cause) {
            breakOff(cause);
        }

        private void breakOff(Throwable cause) {
            broken = cause;
            signals.getAndIncrement();
            leave();
        }

        /** Whoever is last at a signal tells why it broke off: who breaks off while others are at one leaves it to them, so they look when they have left. */
        private void leave() {
            if (signals.decrementAndGet() == 0) {
                Throwable cause = broken;
                if (cause != null && isOver.compareAndSet(false, true)) {
                    signalled(cause);
                }
            }
        }

        private void signalled(Throwable cause) {
            try {
                subscriber.onError(cause);
            } catch (Exception | Error e) {
                SubscriberFaults.drop(e, subscriber);
            }
        }

        @Override
        public void request(long n) {
            Subscription upstream = source;
            if (upstream != null && n > 0) {
                upstream.request(n);
            } else if (upstream != null) {
                loop.letGo(this);
                upstream.cancel();
                breakOff(Exceptions.nullOrNegativeRequestException(n));
            }
        }

        @Override
        public void cancel() {
            loop.letGo(this);
            isOver.set(true);
            Subscription upstream = source;
            if (upstream != null) {
                upstream.cancel();
            }
        }
    }
}

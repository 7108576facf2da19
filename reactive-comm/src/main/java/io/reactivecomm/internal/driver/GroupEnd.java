package io.reactivecomm.internal.driver;

import io.reactivecomm.internal.base.Thrown;
import io.reactivecomm.internal.stream.SubscriberFaults;
import io.reactivecomm.spi.Failure;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/**
 * The end of a group on this rank, for all who want to know of it, however early or late they ask.
 *
 * <p>Who brings the end sets {@link #end} before it looks at {@link #waiting}, and who waits looks at the one after it is in the other: so nobody is
 * missed. Each is told once, and one that has cancelled leaves nothing.
 *
 * <p><b>Threads.</b> Any. Who waits is told by the thread that brings the end, which is the loop's; who comes later, by its own.
 */
public final class GroupEnd extends Mono<Void> {

    /** @param failure null if the group ended in good order */
    private record End(@Nullable Failure failure) {}

    private final Set<Waiting> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable End> end = new AtomicReference<>();

    /** This rank has closed the group. */
    void closed() {
        end(new End(null));
    }

    void failed(Failure cause) {
        end(new End(cause));
    }

    /** The first end stays. */
    private void end(End first) {
        if (end.compareAndSet(null, first)) {
            tellAll(first);
        }
    }

    /** Also those after one that throws what is fatal, and those who come meanwhile. */
    private void tellAll(End known) {
        Throwable fatal = null;
        while (!waiting.isEmpty()) {
            fatal = tellEach(known, fatal);
        }
        Thrown.on(fatal);
    }

    /** {@return the first that was thrown} */
    private @Nullable Throwable tellEach(End known, @Nullable Throwable before) {
        Throwable first = before;
        for (Waiting each : waiting) {
            try {
                each.tell(known);
            } catch (Exception | Error e) {
                first = first == null ? e : first;
            }
        }
        return first;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> subscriber) {
        Waiting each = new Waiting(subscriber);
        subscriber.onSubscribe(each);
        each.begin();
    }

    /** {@return how many have not been told and have not cancelled} */
    int waiting() {
        return waiting.size();
    }

    /** One subscriber; there is no value, so demand is of no account. */
    private final class Waiting implements Subscription {

        private final CoreSubscriber<? super Void> subscriber;
        private final AtomicBoolean done = new AtomicBoolean();

        private Waiting(CoreSubscriber<? super Void> subscriber) {
            this.subscriber = subscriber;
        }

        private void begin() {
            waiting.add(this);
            if (done.get()) {
                waiting.remove(this);
            }
            End known = end.get();
            if (known != null) {
                tell(known);
            }
        }

        @Override
        public void request(long n) {
            if (n <= 0 && isDoneNow()) {
                signal(() -> subscriber.onError(Exceptions.nullOrNegativeRequestException(n)));
            }
        }

        @Override
        public void cancel() {
            isDoneNow();
        }

        /** {@return whether it was not done before} */
        private boolean isDoneNow() {
            boolean first = done.compareAndSet(false, true);
            waiting.remove(this);
            return first;
        }

        private void tell(End known) {
            if (isDoneNow()) {
                Failure failure = known.failure;
                signal(failure == null ? subscriber::onComplete : () -> subscriber.onError(failure.toException()));
            }
        }

        /** A subscriber that throws breaks the Reactive Streams rules; that takes nothing from the others. */
        private void signal(Runnable last) {
            try {
                last.run();
            } catch (Exception | Error e) {
                SubscriberFaults.drop(e, subscriber);
            }
        }
    }
}

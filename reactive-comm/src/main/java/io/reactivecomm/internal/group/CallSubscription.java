package io.reactivecomm.internal.group;

import io.reactivecomm.Work;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.stream.SubscriberFaults;
import io.reactivecomm.spi.Failure;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;

/**
 * One subscriber of a call: gives its tensors back and emits the end, once both the end and the demand are there. A second call that wrote the tensors
 * before that would change the result that the subscriber is about to be given.
 *
 * <pre>
 *   WAITING ── request ──&gt; REQUESTED ── result ──&gt; DONE
 *      └────── result ──&gt; Ready(work) ── request ──&gt; DONE
 *   any ── cancel ──&gt; CANCELLED        (the call runs on; if it has ended, its tensors are given back)
 * </pre>
 *
 * <p><b>Threads.</b> Any; one atomic state.
 */
public final class CallSubscription extends Borrowing implements Subscription {

    private enum Phase {
        WAITING,
        REQUESTED,
        DONE,
        CANCELLED
    }

    private static final AtomicReferenceFieldUpdater<CallSubscription, Object> STATE =
            AtomicReferenceFieldUpdater.newUpdater(CallSubscription.class, Object.class, "state");

    private final CoreSubscriber<? super Work> subscriber;
    private final Executor loop;
    /** The run of a composite call whose body goes on with the result, or null. */
    private final @Nullable Composite body;

    /** A {@link Phase}, or the {@link Work} that waits for demand. */
    private volatile Object state = Phase.WAITING;

    /**
     * @param subscriber takes the end; the caller gives it this subscription
     * @param loop where a result is emitted that was there before the demand
     */
    public CallSubscription(CoreSubscriber<? super Work> subscriber, Executor loop) {
        this(subscriber, loop, null);
    }

    CallSubscription(CoreSubscriber<? super Work> subscriber, Executor loop, @Nullable Composite body) {
        this.subscriber = subscriber;
        this.loop = loop;
        this.body = body;
    }

    @Override
    CoreSubscriber<?> subscriber() {
        return subscriber;
    }

    @Override
    public void request(long n) {
        if (n <= 0) {
            loop.execute(() -> refuse(Exceptions.nullOrNegativeRequestException(n)));
            return;
        }
        if (!moves(Phase.WAITING, Phase.REQUESTED) && state instanceof Work work && moves(work, Phase.DONE)) {
            loop.execute(() -> emitWaiting(work));
        }
    }

    private boolean moves(Object from, Object to) {
        return STATE.compareAndSet(this, from, to);
    }

    @Override
    public void cancel() {
        if (STATE.getAndSet(this, Phase.CANCELLED) instanceof Work) {
            release();
        }
    }

    @Override
    public void succeeded(Work work) {
        if (moves(Phase.WAITING, work)) {
            overBeforeSignal();
            return;
        }
        try {
            over(null);
        } finally {
            if (moves(Phase.REQUESTED, Phase.DONE)) {
                emit(work);
            }
        }
    }

    private void emitWaiting(Work work) {
        try {
            release();
        } finally {
            emit(work);
        }
    }

    private void emit(Work work) {
        if (body == null) {
            tell(work);
        } else {
            Composite before = BodyThread.enter(body);
            try {
                tell(work);
            } finally {
                BodyThread.leave(before);
            }
        }
    }

    private void tell(Work work) {
        if (state == Phase.CANCELLED) {
            return;
        }
        try {
            subscriber.onNext(work);
        } catch (Exception | Error e) {
            SubscriberFaults.dropAndEnd(e, subscriber);
            return;
        }
        try {
            if (state != Phase.CANCELLED) {
                subscriber.onComplete();
            }
        } catch (Exception | Error e) {
            SubscriberFaults.drop(e, subscriber);
        }
    }

    @Override
    public void failed(Failure failure) {
        Failure own = own(failure);
        try {
            over(own);
        } finally {
            refuse(own.toException());
        }
    }

    /** Ends the subscription, not the call. */
    private void refuse(Throwable error) {
        Object before = STATE.getAndUpdate(this, now -> now == Phase.CANCELLED ? now : Phase.DONE);
        if (before == Phase.CANCELLED || before == Phase.DONE) {
            return;
        }
        try {
            if (before instanceof Work) {
                release();
            }
        } finally {
            signal(error);
        }
    }

    private void signal(Throwable error) {
        try {
            subscriber.onError(error);
        } catch (Exception | Error e) {
            SubscriberFaults.drop(e, subscriber);
        }
    }
}

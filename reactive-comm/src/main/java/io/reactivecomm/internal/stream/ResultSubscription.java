package io.reactivecomm.internal.stream;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.util.context.Context;

/**
 * One result, or none, on its way to a subscriber that may ask for it before or after it is there, or never.
 *
 * <pre>
 *   WAITING ── request ──&gt; REQUESTED ── result ──&gt; DONE
 *      └────── result ──&gt; the result ── request, in the loop ──&gt; DONE
 *   WAITING, REQUESTED ── no result, error ──&gt; DONE
 *   any ── cancel ──&gt; CANCELLED        (what is there, or still comes, is discarded)
 * </pre>
 *
 * <p>A result is emitted and completed, or discarded, once. What it comes from runs to its end, whoever listens.
 *
 * <p><b>Threads.</b> Any; one atomic state.
 */
public final class ResultSubscription<T> implements CoreSubscriber<T>, Subscription, ResultLoop.Awaited {

    private enum Phase {
        WAITING,
        REQUESTED,
        DONE,
        CANCELLED
    }

    private static final Runnable NOTHING = () -> {};

    @SuppressWarnings("rawtypes")
    private static final AtomicReferenceFieldUpdater<ResultSubscription, Object> STATE =
            AtomicReferenceFieldUpdater.newUpdater(ResultSubscription.class, Object.class, "state");

    private final CoreSubscriber<? super T> subscriber;
    private final ResultLoop loop;
    private final Consumer<? super T> discard;
    /** A {@link Phase}, or the result that waits for demand. */
    private volatile Object state = Phase.WAITING;
    /** Runs when the result is taken from the state, before the signal. Written before the result. */
    private Runnable beforeSignal = NOTHING;

    /**
     * @param subscriber takes the result; the caller gives it this subscription
     * @param loop where a result is emitted that was there before the demand
     * @param discard frees a result that nobody takes
     */
    public ResultSubscription(CoreSubscriber<? super T> subscriber, ResultLoop loop, Consumer<? super T> discard) {
        this.subscriber = subscriber;
        this.loop = loop;
        this.discard = discard;
    }

    /** Has it begun, and until it has ended told if the world dies; the subscriber has its subscription. */
    void begin(Consumer<? super ResultSubscription<T>> beginning) {
        loop.hold(this);
        if (state == Phase.CANCELLED || state == Phase.DONE) {
            loop.letGo(this);
        }
        try {
            beginning.accept(this);
        } catch (Exception | Error e) {
            // It is thrown past all that would tell the subscriber.
            fail(e);
            Exceptions.throwIfFatal(e);
        }
    }

    @Override
    public Context currentContext() {
        return subscriber.currentContext();
    }

    @Override
    public void onSubscribe(Subscription source) {
        source.request(Long.MAX_VALUE);
    }

    @Override
    public void request(long n) {
        if (n <= 0) {
            loop.execute(() -> fail(Exceptions.nullOrNegativeRequestException(n)));
        } else if (!moves(Phase.WAITING, Phase.REQUESTED) && isResult(state)) {
            loop.execute(this::emitWaiting);
        }
    }

    private boolean moves(Object from, Object to) {
        return STATE.compareAndSet(this, from, to);
    }

    private static boolean isResult(Object state) {
        return !(state instanceof Phase);
    }

    /** A request may come twice, and a cancellation before the loop's turn: the result is whose move takes it. */
    @SuppressWarnings("unchecked")
    private void emitWaiting() {
        Object waiting = state;
        if (isResult(waiting) && moves(waiting, Phase.DONE)) {
            take((T) waiting, true);
        }
    }

    @Override
    public void cancel() {
        loop.letGo(this);
        discardWaiting(STATE.getAndSet(this, Phase.CANCELLED));
    }

    @SuppressWarnings("unchecked")
    private void discardWaiting(Object before) {
        if (isResult(before)) {
            take((T) before, false);
        }
    }

    @Override
    public void onNext(T result) {
        loop.letGo(this);
        if (!moves(Phase.WAITING, result)) {
            take(result, moves(Phase.REQUESTED, Phase.DONE));
        }
    }

    /**
     * Takes the result, as {@link #onNext} does.
     *
     * @param beforeSignal runs once, just before the result is emitted or discarded, such as to end a claim of the memory that the result is in
     */
    public void result(T result, Runnable beforeSignal) {
        this.beforeSignal = beforeSignal;
        onNext(result);
    }

    private void take(T result, boolean isWanted) {
        try {
            beforeSignal.run();
        } finally {
            if (isWanted) {
                emit(result);
            } else {
                discard.accept(result);
            }
        }
    }

    private void emit(T result) {
        if (state == Phase.CANCELLED) {
            discard.accept(result);
            return;
        }
        try {
            subscriber.onNext(result);
        } catch (Exception | Error e) {
            SubscriberFaults.dropAndEnd(e, subscriber);
            return;
        }
        if (state != Phase.CANCELLED) {
            guarded(subscriber::onComplete);
        }
    }

    /** Behind a result this is old news: the result completes. */
    @Override
    public void onComplete() {
        loop.letGo(this);
        if (moves(Phase.WAITING, Phase.DONE) || moves(Phase.REQUESTED, Phase.DONE)) {
            guarded(subscriber::onComplete);
        }
    }

    @Override
    public void onError(Throwable error) {
        fail(error);
    }

    @Override
    public void worldDied(Throwable cause) {
        fail(cause);
    }

    /** Ends the subscription; a result that waits for demand is discarded. */
    private void fail(Throwable error) {
        loop.letGo(this);
        Object before = STATE.getAndUpdate(this, now -> now == Phase.CANCELLED ? now : Phase.DONE);
        discardWaiting(before);
        if (before != Phase.CANCELLED && before != Phase.DONE) {
            guarded(() -> subscriber.onError(error));
        }
    }

    private void guarded(Runnable signal) {
        try {
            signal.run();
        } catch (Exception | Error e) {
            SubscriberFaults.drop(e, subscriber);
        }
    }
}

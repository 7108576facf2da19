package io.reactivecomm.internal.group;

import io.reactivecomm.Part;
import io.reactivecomm.Work;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.stream.SubscriberFaults;
import io.reactivecomm.spi.Failure;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;

/**
 * One subscriber of a collective's parts: what has landed waits for its demand.
 *
 * <p>The tensors are borrowed and claimed until just before the terminal signal, also if parts wait for demand when the call has ended. A second call that
 * wrote them before that would change parts that the subscriber has not been given yet. An error overtakes the parts that wait.
 *
 * <p><b>Threads.</b> Demand and cancellation from any; all else on the loop, signals too.
 */
final class PartsSubscription extends Borrowing implements CallSink.OfParts, Subscription {

    private final Executor loop;
    private final AtomicLong demand = new AtomicLong();
    private volatile CoreSubscriber<? super Part> subscriber;
    private volatile boolean cancelled;
    /** The loop's from here on. */
    private final Landing landing;
    /** The parts that were emitted, which the call only reads from then on. */
    private final FinalRanges emitted = new FinalRanges();

    private boolean isTelling;
    private boolean ended;
    private boolean terminated;

    /** @param landing what the call's output consists of */
    PartsSubscription(CoreSubscriber<? super Part> subscriber, Executor loop, Landing landing) {
        this.subscriber = subscriber;
        this.loop = loop;
        this.landing = landing;
    }

    @Override
    protected boolean areFinal(long from, long to) {
        return emitted.contain(from, to);
    }

    @Override
    CoreSubscriber<?> subscriber() {
        return subscriber;
    }

    @Override
    public void request(long n) {
        if (n > 0) {
            demand.accumulateAndGet(n, Operators::addCap);
            loop.execute(this::tell);
        } else {
            loop.execute(() -> error(Exceptions.nullOrNegativeRequestException(n)));
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        subscriber = Operators.emptySubscriber();
        loop.execute(this::releaseIfEnded);
    }

    private void releaseIfEnded() {
        if (ended) {
            release();
        }
    }

    @Override
    public void landed(long from, long count) {
        landing.landed(from, count);
        tell();
    }

    @Override
    public void succeeded(Work work) {
        if (!work.tensors().isEmpty()) {
            landing.allLanded();
        }
        ended = true;
        try {
            overBeforeSignal();
        } finally {
            if (isSilent()) {
                release();
            } else {
                tell();
            }
        }
    }

    @Override
    public void failed(Failure failure) {
        Failure own = own(failure);
        try {
            over(own);
        } finally {
            error(own.toException());
        }
    }

    /** A subscriber that requests from within {@code onNext} is served by the loop that called it. */
    private void tell() {
        if (isTelling) {
            return;
        }
        isTelling = true;
        try {
            while (!isSilent() && demand.get() > 0) {
                Part next = landing.poll();
                if (next == null) {
                    break;
                }
                demand.updateAndGet(left -> left == Long.MAX_VALUE ? left : left - 1);
                emitted.add(next.tensor());
                guarded(listener -> listener.onNext(next));
            }
        } finally {
            isTelling = false;
        }
        if (ended && landing.isEmpty() && !isSilent()) {
            terminate(CoreSubscriber::onComplete);
        }
    }

    private void error(Throwable error) {
        if (!isSilent()) {
            terminate(listener -> listener.onError(error));
        }
    }

    private void terminate(Signal end) {
        terminated = true;
        try {
            releaseIfEnded();
        } finally {
            guarded(end);
        }
    }

    private boolean isSilent() {
        return terminated || cancelled;
    }

    private interface Signal {

        void to(CoreSubscriber<? super Part> listener);
    }

    /** A subscriber that throws breaks the Reactive Streams rules, and counts as one that has cancelled. */
    private void guarded(Signal signal) {
        CoreSubscriber<? super Part> listener = subscriber;
        if (cancelled) {
            return;
        }
        try {
            signal.to(listener);
        } catch (Exception | Error e) {
            cancel();
            if (terminated) {
                SubscriberFaults.drop(e, listener);
            } else {
                SubscriberFaults.dropAndEnd(e, listener);
            }
        }
    }
}

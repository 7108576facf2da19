package io.reactivecomm.stream;

import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One end of a stream: its calls, one after the other its events, and the subscriber who is told.
 *
 * <p><b>Threads.</b> Two pumps keep order without a lock. The <em>teller</em> takes the ends of calls, in the order in which they came, and
 * tells the subscriber; since calls end on the group's loop, so do signals come there. The <em>pump</em> begins calls, for whoever has
 * found that there is something to begin: a subscriber that requests, on its own thread, the source, or the teller. Each field says which
 * of the two owns it, or is safe for all.
 */
abstract class StreamEnd implements Subscription {

    final Lines lines;
    final Notes notes;
    final Context context;
    /** What the subscriber has requested in all. */
    final AtomicLong demand = new AtomicLong();

    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final Pump teller = new Pump(this::takeEvents);
    private final Pump pump = new Pump(this::actOrLetGo);
    private volatile CoreSubscriber<? super Tensor> subscriber;
    private volatile boolean cancelled;
    private volatile boolean over;
    /** The teller's. */
    private boolean terminated;
    /** The pump's. */
    private boolean letGo;

    StreamEnd(Lines lines, Notes notes, CoreSubscriber<? super Tensor> subscriber) {
        this.lines = lines;
        this.notes = notes;
        this.subscriber = subscriber;
        this.context = subscriber.currentContext();
    }

    /** Begins what can be begun; run by the pump until the end is over. */
    abstract void act();

    /** The subscriber has cancelled. Any thread. */
    abstract void onCancel();

    /** The subscriber has broken the rules, or cannot be served. The teller. */
    abstract void fail(Throwable error);

    /** Lets signals and calls begin: the subscriber has its subscription. */
    final void start() {
        teller.release();
        pump.release();
    }

    /** Begins a call; its end is an event. */
    final void begin(Mono<Work> call, Runnable succeeded, Consumer<Throwable> failed) {
        notes.use();
        call.subscribe(
                ignored -> {},
                error -> tell(() -> {
                    failed.accept(error);
                    notes.letGo();
                }),
                () -> tell(() -> {
                    succeeded.run();
                    notes.letGo();
                }));
    }

    final void tell(Runnable event) {
        events.add(event);
        teller.run();
    }

    private void takeEvents() {
        for (Runnable next = events.poll(); next != null; next = events.poll()) {
            next.run();
        }
    }

    final void pump() {
        pump.run();
    }

    private void actOrLetGo() {
        act();
        if (over && !letGo) {
            letGo = true;
            notes.letGo();
        }
    }

    /** No call will be begun any more. The teller. */
    final void end() {
        over = true;
        pump();
    }

    final boolean isOver() {
        return over;
    }

    @Override
    public final void request(long n) {
        if (n > 0) {
            demand.accumulateAndGet(n, Operators::addCap);
            pump();
        } else {
            tell(() -> fail(Exceptions.nullOrNegativeRequestException(n)));
        }
    }

    @Override
    public final void cancel() {
        cancelled = true;
        subscriber = Operators.emptySubscriber();
        onCancel();
        pump();
    }

    /** {@return whether the subscriber is to hear nothing more} Exact for the teller. */
    final boolean isSilent() {
        return terminated || cancelled;
    }

    /** Tells of a tensor. {@return whether there was anybody to take it} The teller. */
    final boolean emit(Tensor tensor) {
        CoreSubscriber<? super Tensor> listener = subscriber;
        if (isSilent()) {
            return false;
        }
        guarded(() -> listener.onNext(tensor));
        return true;
    }

    /** The teller. */
    final void complete() {
        CoreSubscriber<? super Tensor> listener = subscriber;
        if (!isSilent()) {
            terminated = true;
            guarded(listener::onComplete);
        }
    }

    /** The teller. */
    final void error(Throwable error) {
        CoreSubscriber<? super Tensor> listener = subscriber;
        if (!isSilent()) {
            terminated = true;
            guarded(() -> listener.onError(error));
        }
    }

    /** A subscriber that throws breaks the Reactive Streams rules, and counts as one that has cancelled. */
    private void guarded(Runnable signal) {
        try {
            signal.run();
        } catch (RuntimeException | Error e) {
            cancel();
            Exceptions.throwIfFatal(e);
            Operators.onErrorDropped(e, context);
        }
    }
}

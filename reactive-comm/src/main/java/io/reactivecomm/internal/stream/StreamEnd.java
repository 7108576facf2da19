package io.reactivecomm.internal.stream;

import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.internal.base.DrainLoop;
import io.reactivecomm.internal.base.ProgramError;
import io.reactivecomm.observe.ContextObservers;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One end of a stream: its calls, one after the other its events, and the subscriber who is told.
 *
 * <p><b>Threads.</b> Two drain loops keep order without a lock. The <em>teller</em> takes the ends of calls, in the order in which they
 * came, and tells the subscriber; since calls end on the group's loop, so do signals come there. The <em>pump</em> begins calls, for
 * whoever has found that there is something to begin: a subscriber that requests, on its own thread, the source, or the teller. Each field
 * says which of the two owns it, or is safe for all.
 */
abstract class StreamEnd implements Subscription, ResultLoop.Awaited {

    final StreamMessages lines;
    final ControlMessages notes;
    final Context context;
    /** What the subscriber has requested in all. */
    final AtomicLong demand = new AtomicLong();

    private final ResultLoop loop;
    private final Runnable whenOver;
    private final Consumer<@Nullable Throwable> told;
    /** That of the calls: what else is in the subscriber's is no matter of theirs. */
    private final Context contextOfCalls;

    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final DrainLoop teller = DrainLoop.held(this::takeEvents);
    private final DrainLoop pump = DrainLoop.held(this::actOrLetGo);
    private volatile CoreSubscriber<? super Tensor> subscriber;
    private volatile boolean cancelled;
    private volatile boolean over;
    /** The teller's. */
    private boolean terminated;
    /** The pump's. */
    private boolean letGo;

    /**
     * @param whenOver is told when no call will be begun any more
     * @param told tells observers of the end, the first time that it is told
     */
    StreamEnd(
            ResultLoop loop,
            Runnable whenOver,
            Consumer<@Nullable Throwable> told,
            StreamMessages lines,
            ControlMessages notes,
            CoreSubscriber<? super Tensor> subscriber) {
        this.loop = loop;
        this.whenOver = whenOver;
        this.told = told;
        this.lines = lines;
        this.notes = notes;
        this.subscriber = subscriber;
        this.context = subscriber.currentContext();
        this.contextOfCalls = ContextObservers.alone(context);
    }

    /** Begins what can be begun; run by the pump until the end is over. */
    abstract void act();

    /** The subscriber has cancelled. Any thread. */
    abstract void onCancel();

    /** The subscriber has broken the rules, or cannot be served. The teller. */
    abstract void fail(Throwable error);

    /**
     * Gives the subscriber its subscription, and lets signals and calls begin. A subscriber that throws counts as one that cancels: the other end counts on the
     * stream.
     */
    final void open() {
        try {
            subscriber.onSubscribe(this);
        } catch (Exception | Error e) {
            cancel();
            throw e;
        } finally {
            start();
        }
    }

    private void start() {
        loop.hold(this);
        if (cancelled) {
            loop.letGo(this);
        }
        teller.release();
        pump.release();
    }

    /** Begins a call; its end is an event. */
    final void begin(Mono<Work> call, Runnable succeeded, Consumer<Throwable> failed) {
        notes.use();
        call.subscribe(new CallEnd(succeeded, failed));
    }

    /** Does what would hold the loop; its end is an event. */
    final <T> void aside(Supplier<T> work, Consumer<T> done, Consumer<Throwable> failed) {
        loop.aside(work, result -> tell(() -> done.accept(result)), error -> tell(() -> failed.accept(error)));
    }

    /** The end of one call, on the loop. What is fatal passes through to the loop, where Reactor's own subscriber would drop it. */
    private final class CallEnd implements CoreSubscriber<Work> {

        private final Runnable succeeded;
        private final Consumer<Throwable> failed;

        private CallEnd(Runnable succeeded, Consumer<Throwable> failed) {
            this.succeeded = succeeded;
            this.failed = failed;
        }

        @Override
        public Context currentContext() {
            return contextOfCalls;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Work work) {}

        @Override
        public void onError(Throwable error) {
            tell(() -> thenLetGo(() -> failed.accept(error)));
        }

        @Override
        public void onComplete() {
            tell(() -> thenLetGo(succeeded));
        }

        private void thenLetGo(Runnable end) {
            try {
                end.run();
            } finally {
                notes.letGo();
            }
        }
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
            whenOver.run();
        }
    }

    /** {@return why the stream has failed, if its own subscriber was not told of that} */
    abstract @Nullable Throwable untold();

    /** No call will be begun any more. The teller. */
    final void end() {
        told.accept(untold());
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
        loop.letGo(this);
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
        guarded(() -> listener.onNext(tensor), listener);
        return true;
    }

    /** The teller. */
    final void complete() {
        CoreSubscriber<? super Tensor> listener = subscriber;
        if (!isSilent()) {
            told.accept(null);
            terminate();
            guarded(listener::onComplete, listener);
        }
    }

    /** The teller. */
    final void error(Throwable error) {
        CoreSubscriber<? super Tensor> listener = subscriber;
        if (!isSilent()) {
            told.accept(error);
            terminate();
            guarded(() -> listener.onError(error), listener);
        }
    }

    private void terminate() {
        terminated = true;
        loop.letGo(this);
    }

    /** All calls have ended; what was to happen at their ends may have died with the error. */
    @Override
    public final void worldDied(Throwable cause) {
        tell(() -> {
            fail(cause);
            error(cause);
            end();
        });
    }

    /**
     * A subscriber that throws breaks the Reactive Streams rules, and counts as one that has cancelled. What is fatal to the JVM it is told
     * of, if it still may, before that is thrown on.
     */
    private void guarded(Runnable signal, CoreSubscriber<?> listener) {
        try {
            signal.run();
        } catch (Exception | Error e) {
            boolean mayHear = !terminated;
            cancel();
            if (mayHear && Exceptions.isJvmFatal(e)) {
                terminated = true;
                guarded(() -> listener.onError(e), listener);
            }
            ProgramError.throwIfFatal(e);
            Operators.onErrorDropped(e, context);
        }
    }
}

package io.reactivecomm.timing;

import java.util.concurrent.CancellationException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A timing operator at work: passes signals on, and tells of the end before whoever is behind it hears of that. A {@code Mono} ends with its value.
 *
 * <p><b>Errors.</b> What is told of the end and throws makes that an error, as with Reactor's own operators; what it throws of an error is added to that, and of a
 * cancellation it is dropped.
 *
 * <p><b>Threads.</b> As signals come; cancellation on any.
 */
final class TimedSubscriber<T> implements CoreSubscriber<T>, Subscription {

    private final CoreSubscriber<? super T> subscriber;
    private final TimedRun run;
    private final boolean isMono;
    private final Context context;
    private @Nullable Subscription source;
    private boolean isDone;

    private TimedSubscriber(CoreSubscriber<? super T> subscriber, TimedRun run, boolean isMono) {
        this.subscriber = subscriber;
        this.run = run;
        this.isMono = isMono;
        this.context = run.in(subscriber.currentContext());
    }

    /** {@return an operator for a {@code Mono} or a {@code Flux}} @param runs makes what hears of one subscription */
    static <T> Function<Publisher<T>, Publisher<T>> operator(Supplier<TimedRun> runs) {
        return source ->
                source instanceof Mono<T> mono ? new OfMono<>(mono, runs) : new OfFlux<>(Flux.from(source), runs);
    }

    /** A timed {@code Mono}. Not by Reactor's lift, whose subscribers have to take part in fusion. */
    private static final class OfMono<T> extends MonoOperator<T, T> {

        private final Supplier<TimedRun> runs;

        private OfMono(Mono<? extends T> source, Supplier<TimedRun> runs) {
            super(source);
            this.runs = runs;
        }

        @Override
        public void subscribe(CoreSubscriber<? super T> actual) {
            source.subscribe(new TimedSubscriber<>(actual, runs.get(), true));
        }
    }

    /** A timed {@code Flux}. */
    private static final class OfFlux<T> extends FluxOperator<T, T> {

        private final Supplier<TimedRun> runs;

        private OfFlux(Flux<? extends T> source, Supplier<TimedRun> runs) {
            super(source);
            this.runs = runs;
        }

        @Override
        public void subscribe(CoreSubscriber<? super T> actual) {
            source.subscribe(new TimedSubscriber<>(actual, runs.get(), false));
        }
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        if (Operators.validate(source, subscription)) {
            source = subscription;
            subscriber.onSubscribe(this);
        }
    }

    @Override
    public void onNext(T item) {
        if (isDone) {
            Operators.onNextDropped(item, context);
            return;
        }
        Throwable fault = isMono ? told(null) : null;
        if (fault == null) {
            subscriber.onNext(item);
        } else {
            Operators.onDiscard(item, context);
            upstream().cancel();
            fail(fault);
        }
    }

    @Override
    public void onComplete() {
        if (isDone) {
            return;
        }
        Throwable fault = told(null);
        if (fault == null) {
            isDone = true;
            subscriber.onComplete();
        } else {
            fail(fault);
        }
    }

    @Override
    public void onError(Throwable error) {
        if (isDone) {
            Operators.onErrorDropped(error, context);
            return;
        }
        Throwable fault = told(error);
        fail(fault == null ? error : Exceptions.addSuppressed(error, fault));
    }

    private void fail(Throwable error) {
        isDone = true;
        subscriber.onError(error);
    }

    /** {@return what was thrown by who is told of the end, or null} */
    private @Nullable Throwable told(@Nullable Throwable error) {
        try {
            run.over(error);
            return null;
        } catch (Exception | Error e) {
            Exceptions.throwIfJvmFatal(e);
            return e;
        }
    }

    private Subscription upstream() {
        Subscription subscription = source;
        if (subscription == null) {
            throw new IllegalStateException("a signal came before its subscription");
        }
        return subscription;
    }

    @Override
    public void request(long n) {
        upstream().request(n);
    }

    @Override
    public void cancel() {
        Throwable fault;
        try {
            fault = told(new CancellationException("the subscriber cancelled"));
        } finally {
            upstream().cancel();
        }
        if (fault != null) {
            Operators.onErrorDropped(fault, context);
        }
    }
}

package io.reactivecomm.internal.backend;

import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One rank's opening of one engine: whatever its provider does, or does not do, it ends, and in time.
 *
 * <p>It subscribes to the provider itself and is no chain of operators: those throw what is fatal at whoever signals, and drop an engine that comes after
 * they were cancelled.
 *
 * <p><b>Threads.</b> Any.
 */
final class ProviderOpening implements CoreSubscriber<CollectiveEngine> {

    private static final Logger LOG = WarningLog.of(ProviderOpening.class);

    private final String name;
    private final EngineContext context;
    private final MonoSink<CollectiveEngine> sink;
    private final Consumer<CollectiveEngine> taken;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final Operators.DeferredSubscription provider = new Operators.DeferredSubscription();
    private Loop.@Nullable Timer timer;

    private ProviderOpening(
            String name, EngineContext context, MonoSink<CollectiveEngine> sink, Consumer<CollectiveEngine> taken) {
        this.name = name;
        this.context = context;
        this.sink = sink;
        this.taken = taken;
    }

    /**
     * {@return an engine, once it is open, or a {@link RendezvousException} that says why it is not}
     *
     * @param patienceNanos how long that may take
     * @param taken takes the engine before anybody else hears of it; one that comes too late is closed instead
     */
    static Mono<CollectiveEngine> of(
            String name, EngineContext context, long patienceNanos, Consumer<CollectiveEngine> taken) {
        return Mono.create(sink -> new ProviderOpening(name, context, sink, taken).begin(patienceNanos));
    }

    private void begin(long patienceNanos) {
        sink.onCancel(this::cancel);
        timer = context.loop().schedule(() -> late(patienceNanos), patienceNanos);
        provider.request(Long.MAX_VALUE);
        try {
            Mono<CollectiveEngine> opening = BackendChoice.provider(name).open(context);
            if (opening == null) {
                fail("its provider returned null instead of a Mono", null);
            } else {
                opening.subscribe(this);
            }
        } catch (Exception | Error e) {
            onError(e);
        }
    }

    @Override
    public Context currentContext() {
        return Operators.enableOnDiscard(Context.of(sink.contextView()), this::discarded);
    }

    private void discarded(Object item) {
        if (item instanceof CollectiveEngine engine) {
            closeLate(engine);
        }
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        provider.set(subscription);
    }

    @Override
    public void onNext(CollectiveEngine engine) {
        if (!isFirstEnd()) {
            closeLate(engine);
            return;
        }
        try {
            taken.accept(engine);
        } catch (Exception | Error e) {
            tell(text(e), e);
            return;
        }
        sink.success(engine);
    }

    @Override
    public void onError(Throwable error) {
        fail(text(error), error);
    }

    @Override
    public void onComplete() {
        fail("its provider completed without an engine", null);
    }

    private static String text(Throwable error) {
        return error instanceof CommException ? CommException.textOf(error) : ErrorTexts.describe(error);
    }

    private void late(long patienceNanos) {
        fail(
                "it was not open in time, waited="
                        + Duration.ofNanos(patienceNanos).toMillis() + " ms",
                null);
        provider.cancel();
    }

    private void fail(String cause, @Nullable Throwable thrown) {
        if (isFirstEnd()) {
            tell(cause, thrown);
        } else if (thrown != null) {
            LOG.debug(
                    "an opening that was over has failed: engine={}, rank={}",
                    name,
                    context.control().rank(),
                    ErrorTexts.printable(thrown));
        }
    }

    private void tell(String cause, @Nullable Throwable thrown) {
        int rank = context.control().rank();
        LOG.warn(
                "an engine could not be opened: engine={}, rank={}, cause={}",
                name,
                rank,
                cause,
                thrown == null ? null : ErrorTexts.printable(thrown));
        sink.error(new RendezvousException(
                "an engine could not be opened: engine=" + name + ", rank=" + rank + ", cause=" + cause
                        + "; look at that rank's own output, give the engine what it lacks there, or choose another"
                        + " backend on all ranks",
                thrown));
    }

    private boolean isFirstEnd() {
        boolean isFirst = isOver.compareAndSet(false, true);
        if (isFirst && timer != null) {
            timer.cancel();
        }
        return isFirst;
    }

    private void cancel() {
        isFirstEnd();
        provider.cancel();
    }

    /** Nobody waits for it any more, not even for what it throws. */
    private void closeLate(CollectiveEngine engine) {
        try {
            engine.close();
        } catch (Exception | Error e) {
            LOG.warn(
                    "an engine that came too late could not be closed: engine={}, rank={}",
                    name,
                    context.control().rank(),
                    ErrorTexts.printable(e));
        }
    }
}

package io.reactivecomm.hook;

import io.reactivecomm.Reduction;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One step through a hook that all-reduces each gradient by a call of its own, all of them in one composite call.
 *
 * <pre>
 *   OPEN ─┬─ all have come and ended ──────────────────&gt; it completes, or fails with the first gradient's error
 *         ├─ the source fails ──&gt; all ranks are told ──┐
 *         └─ stopped ──&gt; the source is cancelled ──────┴─ what is under way has ended ──&gt; the step's error
 * </pre>
 *
 * <p>The source is cancelled by the first operator on the way only: what is under way in another comes back first.
 *
 * <p><b>Threads.</b> Any.
 */
final class HookStep implements CoreSubscriber<Gradient>, Subscription, ReducingPass.Watch {

    /** That of the gradients and that of the composite call. */
    private static final int ENDS = 2;

    private final ReducingPass pass;
    private final CoreSubscriber<? super Gradient> subscriber;
    private final Context context;
    private final Operators.DeferredSubscription results = new Operators.DeferredSubscription();
    private final AtomicInteger awaited = new AtomicInteger(ENDS);
    private volatile @Nullable GradientIntake intake;
    private volatile boolean isStopped;
    /** What went wrong here. */
    private List<Throwable> errors = List.of();
    /** Why the composite call failed. */
    private @Nullable Throwable told;

    private HookStep(ReducingPass pass, CoreSubscriber<? super Gradient> subscriber) {
        this.pass = pass;
        this.subscriber = subscriber;
        this.context = pass.in(subscriber.currentContext());
    }

    /** Begins a step. All its calls are under way at once: with a limit, ranks whose first gradients differ would wait for ever. */
    static void begin(
            ReducingPass pass, Reduction op, Flux<Object> composite, Flux<Gradient> ready, CoreSubscriber<? super Gradient> subscriber) {
        HookStep step = new HookStep(pass, subscriber);
        pass.open(composite, step.context, step);
        GradientIntake.of(pass.source(ready), pass, step)
                .flatMapDelayError(gradient -> new GradientMono(pass, gradient, op), Integer.MAX_VALUE, 1)
                .subscribe(step);
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        results.set(subscription);
        subscriber.onSubscribe(this);
    }

    @Override
    public void onNext(Gradient gradient) {
        subscriber.onNext(gradient);
    }

    @Override
    public void onComplete() {
        if (!isStopped) {
            pass.complete();
        }
        oneEnded();
    }

    @Override
    public void onError(Throwable error) {
        errors = Exceptions.unwrapMultiple(error);
        pass.fail(errors.getFirst());
        oneEnded();
    }

    @Override
    public void request(long gradients) {
        results.request(gradients);
    }

    @Override
    public void cancel() {
        pass.cancel();
        results.cancel();
        pass.leaveChain();
    }

    /** Not before those in front have opened their own composite calls, on which other ranks count. */
    @Override
    public void stopped() {
        isStopped = true;
        GradientIntake subscribed = intake;
        if (subscribed != null && pass.isFirst()) {
            subscribed.cut();
        }
    }

    /** Those in front have opened theirs. */
    void subscribed(GradientIntake open) {
        intake = open;
        if (isStopped) {
            stopped();
        }
    }

    @Override
    public void ended(@Nullable Throwable error) {
        told = error;
        oneEnded();
    }

    private void oneEnded() {
        if (awaited.decrementAndGet() == 0) {
            tell(told);
            pass.leaveChain();
        }
    }

    private void tell(@Nullable Throwable error) {
        if (error == null) {
            subscriber.onComplete();
        } else {
            subscriber.onError(GradientHooks.withOthers(error, errors));
        }
    }
}

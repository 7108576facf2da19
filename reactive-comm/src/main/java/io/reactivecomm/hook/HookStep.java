package io.reactivecomm.hook;

import io.reactivecomm.Reduction;
import io.reactivecomm.Work;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One step through a hook that all-reduces each gradient by a call of its own, all of them in one composite call of the step's.
 *
 * <pre>
 *   OPEN ─┬─ all have come and ended ──────────────────&gt; it completes, or fails with the first gradient's error
 *         ├─ the source fails ──&gt; all ranks are told ──┐
 *         └─ stopped ──&gt; the source is cancelled ──────┴─ what is under way has ended ──&gt; the step's error
 * </pre>
 *
 * <p><b>Calls.</b> Other ranks hear that all have been made while they are under way: ranks whose gradients have other names would wait for each other's.
 * The composite call is open until they have ended, so that whatever ends the step by then ends it on all ranks.
 *
 * <p>The source is cancelled by the first operator on the way only: what is under way in another comes back first.
 *
 * <p><b>Threads.</b> Any.
 */
final class HookStep implements CoreSubscriber<Gradient>, Subscription, ReducingPass.Watch {

    /** That of the gradients and that of the composite call. */
    private static final int ENDS = 2;

    /** What ranks compare. */
    static final String OPERATION = "gradients";

    private final ReducingPass pass;
    private final Reduction op;
    private final CoreSubscriber<Gradient> subscriber;
    private final Context context;
    private final Operators.DeferredSubscription results = new Operators.DeferredSubscription();
    private final AtomicInteger awaited = new AtomicInteger(ENDS);
    private volatile @Nullable GradientIntake intake;
    private volatile boolean isSubscribed;
    private volatile boolean isAbandoned;
    private volatile boolean isStopped;
    /** A gradient has failed, and the step is to fail with that once the others have come back. */
    private volatile boolean hasFailed;
    /** The source has failed: its error is on the way, and is not to be overtaken by an end without one. */
    private volatile boolean hasSourceFailed;
    /** What went wrong here. */
    private List<Throwable> errors = List.of();
    /** Why the composite call failed. */
    private @Nullable Throwable told;

    private HookStep(ReducingPass pass, Reduction op, CoreSubscriber<? super Gradient> subscriber) {
        this.pass = pass;
        this.op = op;
        // It is abandoned on any thread.
        this.subscriber = Operators.serialize(subscriber);
        this.context = pass.in(subscriber.currentContext());
    }

    /** Begins a step. All its calls are under way at once: with a limit, ranks whose first gradients differ would wait for ever. */
    static void begin(
            ReducingPass pass,
            Reduction op,
            Flux<Object> composite,
            Flux<Gradient> ready,
            CoreSubscriber<? super Gradient> subscriber) {
        HookStep step = new HookStep(pass, op, subscriber);
        try {
            pass.open(composite, step.context, step);
        } finally {
            GradientIntake.of(pass.source(ready), step)
                    .flatMapDelayError(gradient -> new GradientMono(step, gradient), Integer.MAX_VALUE, 1)
                    .subscribe(step);
        }
    }

    /** {@return whether calls can begin} */
    boolean isOpen() {
        return pass.isOpen();
    }

    /** Makes the call of a gradient. */
    Mono<Work> call(Gradient gradient) {
        pass.enter(gradient);
        pass.requireApart(gradient);
        return pass.inside().named(gradient.name()).allReduce(gradient.tensor(), op);
    }

    /** {@return whether the failure of a call is one of the step's own} What fails because the step has is no news. */
    boolean isNews() {
        hasFailed = true;
        return pass.isOpen();
    }

    /** The source has completed, and so all calls have been made. */
    void allMade() {
        if (!hasFailed) {
            pass.allMade();
        }
    }

    /** The source has failed: so does the step, everywhere. */
    void sourceFailed(Throwable error) {
        hasSourceFailed = true;
        pass.fail(error);
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        results.set(subscription);
        // An operator in front may keep what this throws to itself.
        pass.handOver(() -> subscriber.onSubscribe(this));
        isSubscribed = true;
        tellAbandoned();
    }

    @Override
    public void onNext(Gradient gradient) {
        pass.handOver(() -> subscriber.onNext(gradient));
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

    /** Who has kept the subscription for himself hears that no more comes, and who has cancelled it does not. */
    @Override
    public void abandoned() {
        cancel();
        isAbandoned = true;
        tellAbandoned();
    }

    private void tellAbandoned() {
        if (isAbandoned && isSubscribed) {
            Throwable ended = new CancellationException(
                    "the step has ended before all of its gradients came: rank=" + pass.worldRank());
            pass.handOver(() -> subscriber.onError(ended));
        }
    }

    /** Not before those in front have opened their own composite calls, on which other ranks count. */
    @Override
    public void stopped() {
        isStopped = true;
        GradientIntake subscribed = intake;
        if (subscribed != null && !hasSourceFailed && pass.isFirst()) {
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
            pass.handOver(subscriber::onComplete);
        } else {
            pass.handOver(() -> subscriber.onError(GradientHooks.withOthers(error, errors)));
        }
    }
}

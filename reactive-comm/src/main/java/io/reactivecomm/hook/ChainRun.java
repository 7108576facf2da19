package io.reactivecomm.hook;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * One subscription to a chain of hooks, in which every hook takes part once, whatever operators between and behind them do. Other ranks would wait for
 * what is left out, or meet the next step in its place.
 *
 * <pre>
 *   take(0) behind a hook            subscribed to at the end, and left at once
 *   cache() behind a hook            ended with the run, although nobody cancels it
 *   repeat() behind a hook           refused the second time, if it reduces
 *   subscribeOn(…), and cancelled    refused once the run is over; where it is at it by then, the next run waits: {@link RunOrder}
 * </pre>
 *
 * <p><b>Threads.</b> Any.
 */
final class ChainRun implements CoreSubscriber<Gradient>, Subscription {

    private final HookChain chain;
    private final Flux<Gradient> whole;
    private final List<? extends Flux<Gradient>> outputs;
    private final CoreSubscriber<? super Gradient> subscriber;
    private final Context context;
    /** That of the chain which this one is a hook of, or is in front of in another. */
    private final @Nullable ChainRun outer;

    private final @Nullable Throwable thrown;
    private final HookOpenings openings;
    /** By their owners. */
    private final Map<Object, ReducingPass> passes = new LinkedHashMap<>();

    private boolean isOver;
    private volatile @Nullable Throwable error;
    private volatile Subscription gradients = Operators.emptySubscription();

    /**
     * @param whole what comes out of the chain
     * @param outputs what comes out of each hook, the last one's last
     * @param thrown what a hook threw as it was applied, which no operator between hooks keeps from them; or null
     */
    ChainRun(
            HookChain chain,
            Flux<Gradient> whole,
            List<? extends Flux<Gradient>> outputs,
            @Nullable Throwable thrown,
            CoreSubscriber<? super Gradient> subscriber) {
        Context behind = subscriber.currentContext();
        this.chain = chain;
        this.whole = whole;
        this.outputs = outputs;
        this.subscriber = subscriber;
        this.thrown = thrown;
        this.outer = of(behind);
        this.context = in(behind, chain);
        this.openings = new HookOpenings(outputs.size());
    }

    /** {@return the run that is subscribed to in a context, or null} */
    static @Nullable ChainRun of(ContextView context) {
        return context.getOrDefault(ChainRun.class, null);
    }

    /** {@return a context in which this run of a chain subscribes} */
    Context in(Context behind, HookChain chain) {
        return behind.put(ChainRun.class, this).put(chain, this);
    }

    static Context apart(Context context) {
        return context.delete(ChainRun.class);
    }

    HookOpenings openings() {
        return openings;
    }

    /** Subscribes to the last hook, and that to those before it. */
    void subscribe() {
        chain.begins(this);
        try {
            whole.subscribe(this);
        } catch (Exception | Error e) {
            end(e);
            tellBreak(e);
            throw e;
        }
    }

    /** As {@link #subscribe}, where nobody is left to make a signal of what is thrown. */
    void subscribeLate() {
        try {
            subscribe();
        } catch (Exception | Error e) {
            Operators.reportThrowInSubscribe(subscriber, e);
            Exceptions.throwIfJvmFatal(e);
        }
    }

    /** Reactor makes a signal of all that is thrown here but of what is fatal. */
    private void tellBreak(Throwable cause) {
        ChainBreak chainBreak = ChainBreak.of(context);
        if (chainBreak != null && Exceptions.isJvmFatal(cause)) {
            chainBreak.tell(cause);
        }
    }

    /** {@return the error of who subscribes after the end: he could take a completion for one of all gradients} */
    Throwable whyLate() {
        Throwable known = error;
        return known == null ? ended() : known;
    }

    /** {@return the error of who subscribes when nothing runs} */
    static CancellationException ended() {
        return new CancellationException("the step has ended before its gradients were subscribed to");
    }

    /**
     * A reducing operator takes part, which it does once.
     *
     * @param owner what is recognised if it comes twice
     * @param leaves whether it is to be left at once, in the place of one that may have died before it was open
     * @return whether it does so for the first time
     */
    boolean joins(Object owner, ReducingPass pass, boolean leaves) {
        boolean isFirst = joinsHere(owner, pass, leaves);
        return (outer == null || outer.joins(owner, pass, leaves)) && isFirst;
    }

    private boolean joinsHere(Object owner, ReducingPass pass, boolean leaves) {
        ReducingPass before;
        boolean isFirst;
        boolean isLate;
        synchronized (this) {
            before = passes.get(owner);
            isFirst = before == null || leaves && !before.hasBegun();
            isLate = isOver;
            if (isFirst) {
                passes.put(owner, pass);
            }
        }
        if (before != null && isFirst) {
            // Whoever is behind waits for the one that takes part.
            before.leaveChain();
        }
        if (thrown != null) {
            pass.fail(thrown);
        } else if (isLate) {
            leave(pass);
        }
        return isFirst;
    }

    /** {@return whether it is still that pass which takes part for its owner} Another one may be in its place by now. */
    boolean has(Object owner, ReducingPass pass) {
        return hasHere(owner, pass) && (outer == null || outer.has(owner, pass));
    }

    private synchronized boolean hasHere(Object owner, ReducingPass pass) {
        return passes.get(owner) == pass;
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        gradients = subscription;
        subscriber.onSubscribe(this);
    }

    @Override
    public void onNext(Gradient gradient) {
        subscriber.onNext(gradient);
    }

    @Override
    public void onError(Throwable cause) {
        end(cause);
        subscriber.onError(cause);
    }

    @Override
    public void onComplete() {
        end(null);
        subscriber.onComplete();
    }

    @Override
    public void request(long count) {
        gradients.request(count);
    }

    @Override
    public void cancel() {
        try {
            gradients.cancel();
        } finally {
            end(null);
        }
    }

    /** Each of those that are left out opens by itself: an operator behind it might subscribe to it later, or never. */
    private void end(@Nullable Throwable cause) {
        List<Integer> leftOut = ends(cause);
        if (leftOut == null) {
            return;
        }
        try {
            leftOut.forEach(hook -> leave(outputs.get(hook - 1)));
        } finally {
            try {
                joined().forEach(this::leave);
            } finally {
                chain.ends(this);
                openings.left();
            }
        }
    }

    /** The subscription to a hook has thrown. */
    void threw(int hook) {
        if (openings.threw(hook)) {
            try {
                leave(outputs.get(hook - 1));
            } finally {
                openings.left();
            }
        }
    }

    /** {@return the hooks that nobody has subscribed to; null if the run has ended before} */
    private synchronized @Nullable List<Integer> ends(@Nullable Throwable cause) {
        if (isOver) {
            return null;
        }
        isOver = true;
        error = cause;
        return openings.end();
    }

    private synchronized List<ReducingPass> joined() {
        return List.copyOf(passes.values());
    }

    private void leave(Flux<Gradient> output) {
        Leaving leaving = new Leaving(HookChain.leaving(context));
        try {
            output.subscribe(leaving);
        } catch (Exception | Error e) {
            // The other hooks come first, whatever an operator between them throws; what ended the run is told.
            Operators.onErrorDropped(e, leaving.currentContext());
        }
    }

    private void leave(ReducingPass pass) {
        Throwable known = error;
        if (known == null) {
            pass.abandon();
        } else {
            pass.fail(known);
        }
    }

    /** The subscriber of a hook that has no other. */
    private static final class Leaving extends BaseSubscriber<Gradient> {

        private final Context context;

        Leaving(Context context) {
            this.context = context;
        }

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            cancel();
        }
    }
}

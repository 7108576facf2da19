package io.reactivecomm.hook;

import io.reactivecomm.InvalidCallException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The gradients of one step, on their way into hooks that follow each other.
 *
 * <pre>
 *   gradients ─&gt; source ─&gt; hook 1 ─&gt; hook 2 ─&gt; hook 3 ─&gt; subscriber          subscribed to from right to left
 * </pre>
 *
 * <p>Each reducing hook opens a composite call as it is subscribed to, before the source is. So every hook is applied and subscribed to whatever
 * happens, for other ranks may wait in its group; and what went wrong meanwhile comes out of the source, in place of the gradients. A hook that
 * throws when it is applied is left out. One that an operator behind has not subscribed to by the end is subscribed to, and left at once:
 * {@link ChainRun}. Where the step ended on another rank before it began here, the source has nothing, and the gradients are not subscribed to.
 *
 * <p>The subscriber's context says which chain has the source. One inside another leaves it to that.
 */
final class HookChain {

    private enum Key {
        /** What a chain tells the one around it. */
        THROWN,
        /** There is no subscriber, and so the gradients are not subscribed to. */
        LEAVING
    }

    private final Flux<Gradient> ready;
    private final List<Output> outputs = new ArrayList<>();
    private Flux<Gradient> last = new Output(Flux.deferContextual(this::source), 0);
    /** The run of whoever keeps the context to himself: there from its turn to its end, so that the step's objects are not kept longer. */
    private final AtomicReference<@Nullable ChainRun> running = new AtomicReference<>();
    /** What a hook threw when it was applied. */
    private @Nullable Throwable thrown;

    private HookChain(Flux<Gradient> ready) {
        this.ready = ready;
    }

    /** {@return what comes out of the last hook} Every hook is applied now. @param order that of the hooks' runs, in whatever chain */
    static Flux<Gradient> through(RunOrder order, List<GradientHook> hooks, Flux<Gradient> ready) {
        HookChain chain = new HookChain(ready);
        hooks.forEach(chain::apply);
        return chain.runs(order, chain.last)
                .contextWrite(context -> guards(context) ? context : context.put(HookChain.class, chain));
    }

    /** What is fatal to the JVM is an error like others: the step would be one on the other ranks only. */
    private void apply(GradientHook hook) {
        try {
            Flux<Gradient> after = Objects.requireNonNull(
                    hook.apply(last), () -> "a hook gave no gradients: hook=" + hook + "; return a Flux");
            Output output = new Output(after, outputs.size() + 1);
            outputs.add(output);
            last = output;
        } catch (Exception | Error e) {
            thrown = thrown == null ? e : thrown;
        }
    }

    private Flux<Gradient> runs(RunOrder order, Flux<Gradient> through) {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Gradient> subscriber) {
                order.begin(new ChainRun(HookChain.this, through, List.copyOf(outputs), thrown, subscriber));
            }
        };
    }

    /** The output of one hook, or of the source, of which its run knows whether anybody subscribes to it. */
    private final class Output extends Flux<Gradient> {

        private final Flux<Gradient> gradients;
        private final int hook;

        Output(Flux<Gradient> gradients, int hook) {
            this.gradients = gradients;
            this.hook = hook;
        }

        @Override
        public void subscribe(CoreSubscriber<? super Gradient> subscriber) {
            Context context = subscriber.currentContext();
            boolean leaves = leaves(context);
            ChainRun known = context.getOrDefault(HookChain.this, null);
            ChainRun run = known == null ? running.get() : known;
            if (run == null) {
                late(ChainRun.ended(), leaves, subscriber);
            } else {
                enter(
                        run,
                        leaves,
                        known == null ? gradients.contextWrite(lost -> run.in(lost, HookChain.this)) : gradients,
                        subscriber);
            }
        }

        private void enter(
                ChainRun run, boolean leaves, Flux<Gradient> from, CoreSubscriber<? super Gradient> subscriber) {
            switch (run.openings().begins(hook, leaves)) {
                case FIRST -> begin(run, leaves, from, subscriber);
                case AGAIN -> from.subscribe(subscriber);
                case BESIDE -> Operators.error(subscriber, beside());
                case LATE -> late(run.whyLate(), leaves, subscriber);
            }
        }

        private void begin(
                ChainRun run, boolean leaves, Flux<Gradient> from, CoreSubscriber<? super Gradient> subscriber) {
            try {
                from.subscribe(subscriber);
            } catch (Exception | Error e) {
                if (leaves) {
                    run.openings().returned(hook);
                } else {
                    run.threw(hook);
                }
                throw e;
            }
            run.openings().returned(hook);
        }

        private void late(Throwable why, boolean leaves, CoreSubscriber<? super Gradient> subscriber) {
            if (leaves) {
                // It is left as it is, and needs no end: a completion could be taken for one of all gradients.
                subscriber.onSubscribe(Operators.emptySubscription());
            } else {
                Operators.error(subscriber, why);
            }
        }

        private InvalidCallException beside() {
            return new InvalidCallException("two threads subscribed to a hook at once in one step: hook=" + hook
                    + "; repeat and retry whole steps, behind the last hook");
        }
    }

    /** A run has its turn. */
    void begins(ChainRun run) {
        running.set(run);
    }

    /** It is over: who comes late in it is refused without it. */
    void ends(ChainRun run) {
        running.compareAndSet(run, null);
    }

    /** {@return the context in which hooks are subscribed to that nobody else has subscribed to} */
    static Context leaving(Context context) {
        return context.put(Key.LEAVING, true);
    }

    static boolean leaves(ContextView context) {
        return context.hasKey(Key.LEAVING);
    }

    /** {@return whether somebody in front subscribes to gradients only if the step goes on} */
    static boolean guards(ContextView context) {
        return context.hasKey(HookChain.class);
    }

    static Context apart(Context context) {
        return ChainRun.apart(context.delete(HookChain.class).delete(Key.THROWN).delete(Key.LEAVING));
    }

    private Flux<Gradient> source(ContextView context) {
        Throwable error = thrown == null ? context.getOrDefault(Key.THROWN, null) : thrown;
        HookChain owner = context.getOrDefault(HookChain.class, null);
        if (owner == null || owner == this) {
            // A hook that keeps the context to itself makes this the first.
            return first(error, context);
        }
        return error == null ? ready : ready.contextWrite(outer -> outer.put(Key.THROWN, error));
    }

    private Flux<Gradient> first(@Nullable Throwable error, ContextView context) {
        if (error != null) {
            return Flux.error(error);
        }
        boolean isOver = leaves(context) || ReducingPass.hasEndedBehind(context);
        return isOver ? Flux.never() : ready.contextWrite(outer -> outer.delete(HookChain.class));
    }
}

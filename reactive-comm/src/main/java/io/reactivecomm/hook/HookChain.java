package io.reactivecomm.hook;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
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
        LEAVING,
        /** What such a subscription fails with. */
        FAILING
    }

    private final Flux<Gradient> ready;
    private final List<Output> outputs = new ArrayList<>();
    /** That of who keeps the context to himself. */
    private volatile @Nullable ChainRun latest;
    /** What a hook threw when it was applied. */
    private @Nullable Throwable thrown;

    private HookChain(Flux<Gradient> ready) {
        this.ready = ready;
    }

    /** {@return what comes out of the last hook} Every hook is applied now. */
    static Flux<Gradient> through(List<GradientHook> hooks, Flux<Gradient> ready) {
        HookChain chain = new HookChain(ready);
        Flux<Gradient> through = Flux.deferContextual(chain::source);
        for (GradientHook each : hooks) {
            through = chain.applied(each, through);
        }
        return chain.whole(through).contextWrite(context -> guards(context) ? context : context.put(HookChain.class, chain));
    }

    private Flux<Gradient> applied(GradientHook hook, Flux<Gradient> before) {
        try {
            Flux<Gradient> after = Objects.requireNonNull(hook.apply(before), () -> "a hook gave no gradients: hook=" + hook + "; return a Flux");
            Output output = new Output(after, outputs.size());
            outputs.add(output);
            return output;
        } catch (RuntimeException | Error e) {
            Exceptions.throwIfJvmFatal(e);
            thrown = thrown == null ? e : thrown;
            return before;
        }
    }

    /** The output of one hook, of which its run knows whether anybody subscribes to it. */
    private final class Output extends FluxOperator<Gradient, Gradient> {

        private final int hook;

        Output(Flux<Gradient> gradients, int hook) {
            super(gradients);
            this.hook = hook;
        }

        @Override
        public void subscribe(CoreSubscriber<? super Gradient> subscriber) {
            Context context = subscriber.currentContext();
            ChainRun run = context.getOrDefault(HookChain.this, latest);
            if (run == null || run.begins(hook, context.hasKey(Key.LEAVING))) {
                source.subscribe(subscriber);
            } else {
                Operators.complete(subscriber);
            }
        }
    }

    private Flux<Gradient> whole(Flux<Gradient> through) {
        return new FluxOperator<Gradient, Gradient>(through) {
            @Override
            public void subscribe(CoreSubscriber<? super Gradient> subscriber) {
                if (outputs.isEmpty()) {
                    source.subscribe(subscriber);
                } else {
                    ChainRun run = new ChainRun(HookChain.this, outputs, subscriber);
                    latest = run;
                    run.subscribe();
                }
            }
        };
    }

    /** {@return the context of a run} */
    Context in(Context context, ChainRun run) {
        return context.put(this, run);
    }

    /** {@return the context in which hooks are subscribed to that nobody else has subscribed to} */
    static Context leaving(Context context, @Nullable Throwable error) {
        Context leaving = context.put(Key.LEAVING, true);
        return error == null ? leaving : leaving.put(Key.FAILING, error);
    }

    /** {@return what a hook is to fail with as soon as it is open, or null} */
    static @Nullable Throwable failing(ContextView context) {
        return context.getOrDefault(Key.FAILING, null);
    }

    /** {@return whether somebody in front subscribes to gradients only if the step goes on} */
    static boolean guards(ContextView context) {
        return context.hasKey(HookChain.class);
    }

    static Context apart(Context context) {
        return context.delete(HookChain.class).delete(Key.THROWN).delete(Key.LEAVING).delete(Key.FAILING);
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
        return context.hasKey(Key.LEAVING) || ReducingPass.hasEndedBehind(context) ? Flux.never() : ready.contextWrite(outer -> outer.delete(HookChain.class));
    }
}

package io.reactivecomm.hook;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
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
 * throws when it is applied is left out. Where the step ended on another rank before it began here, the source has nothing, and the gradients are not
 * subscribed to.
 *
 * <p>The subscriber's context says which chain has the source. One inside another leaves it to that.
 */
final class HookChain {

    /** The key under which a chain tells the one around it what was thrown. */
    private enum Key {
        THROWN
    }

    private final Flux<Gradient> ready;
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
        return through.contextWrite(context -> guards(context) ? context : context.put(HookChain.class, chain));
    }

    private Flux<Gradient> applied(GradientHook hook, Flux<Gradient> before) {
        try {
            return Objects.requireNonNull(hook.apply(before), () -> "a hook gave no gradients: hook=" + hook + "; return a Flux");
        } catch (RuntimeException | Error e) {
            Exceptions.throwIfJvmFatal(e);
            thrown = thrown == null ? e : thrown;
            return before;
        }
    }

    /** {@return whether somebody in front subscribes to gradients only if the step goes on} */
    static boolean guards(ContextView context) {
        return context.hasKey(HookChain.class);
    }

    static Context apart(Context context) {
        return context.delete(HookChain.class).delete(Key.THROWN);
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
        return ReducingPass.hasEndedBehind(context) ? Flux.never() : ready.contextWrite(outer -> outer.delete(HookChain.class));
    }
}

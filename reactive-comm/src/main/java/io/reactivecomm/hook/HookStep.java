package io.reactivecomm.hook;

import io.reactivecomm.Reduction;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * One step through a hook that all-reduces each gradient by a call of its own, all of them in one composite call of the step's.
 *
 * <pre>
 *   OPEN ─┬─ all have come and ended ──────────────────&gt; it completes, or fails with the first gradient's error
 *         ├─ the source fails ──&gt; all ranks are told ──┐
 *         └─ stopped ──&gt; the source is cancelled ──────┴─ what is under way has ended ──&gt; the step's error
 * </pre>
 *
 * <p><b>Calls.</b> The composite call that they are in completes once all have been made, while they are under way: ranks whose gradients have other names
 * would wait for each other's. The step's own around it is open until they have ended, so that whatever ends the step by then ends it on all ranks.
 *
 * <p>The source is cancelled by the first operator on the way only: what is under way in another comes back first.
 *
 * <p><b>Threads.</b> Any.
 */
final class HookStep implements ReducingPass.Watch {

    /** What ranks compare. */
    static final String OPERATION = "gradients";

    private final ReducingPass pass;
    private final Reduction op;
    private final Sinks.Empty<Void> cut = Sinks.empty();
    private final Sinks.Empty<Gradient> end = Sinks.empty();
    private final ContextView context;
    private final Calls calls;
    private volatile boolean isStopped;
    /** A gradient has failed, and the step is to fail with that once the others have come back. */
    private volatile boolean hasFailed;
    /** The source has failed: its error is on the way, and is not to be overtaken by an end without one. */
    private volatile boolean isOver;
    /** Whether those before it are in the chain. */
    private volatile boolean isSubscribed;

    HookStep(ReducingPass pass, Reduction op, ContextView context) {
        this.pass = pass;
        this.op = op;
        this.context = context;
        this.calls = new Calls(pass, context);
    }

    /** The composite call of the calls. */
    private static final class Calls implements OpenComposite.Listener {

        private final ReducingPass pass;
        private final OpenComposite composite;

        Calls(ReducingPass pass, ContextView context) {
            this.pass = pass;
            this.composite = new OpenComposite(this, Context.of(context));
        }

        void open() {
            composite.open(OpenComposite.call(pass.inside(), OPERATION));
        }

        @Override
        public void stopped() {}

        /** What fails because the step has is no news. */
        @Override
        public void ended(@Nullable Throwable error) {
            if (error != null && pass.isOpen()) {
                pass.fail(error);
            }
        }
    }

    /** Begins the step. {@return what it brings} All calls are under way at once: with a limit, ranks whose first gradients differ would wait for ever. */
    Flux<Gradient> begin(Flux<Object> composite, Flux<Gradient> ready) {
        pass.open(composite, context, this);
        if (pass.isOpen()) {
            calls.open();
        }
        return pass.source(ready)
                .doOnSubscribe(subscription -> subscribed())
                .doOnComplete(this::allMade)
                .onErrorResume(error -> {
                    isOver = true;
                    pass.fail(error);
                    return Flux.error(error);
                })
                .takeUntilOther(cut.asMono())
                .flatMapDelayError(this::reduce, Integer.MAX_VALUE, 1)
                .onErrorResume(this::failed)
                .concatWith(Mono.defer(this::completed))
                .doOnCancel(this::cancelled);
    }

    /** What fails because the step has is no news. */
    private Mono<Gradient> reduce(Gradient gradient) {
        return Mono.defer(() -> pass.isOpen() ? call(gradient) : Mono.<Gradient>empty())
                .onErrorResume(error -> {
                    hasFailed = true;
                    return pass.isOpen() ? Mono.error(error) : Mono.empty();
                });
    }

    private Mono<Gradient> call(Gradient gradient) {
        pass.enter(gradient);
        return calls.composite.inside().named(gradient.name()).allReduce(gradient.tensor(), op).thenReturn(gradient);
    }

    private Mono<Gradient> failed(Throwable error) {
        List<Throwable> errors = Exceptions.unwrapMultiple(error);
        pass.fail(errors.getFirst());
        return end.asMono().onErrorMap(told -> GradientHooks.withOthers(told, errors));
    }

    private void allMade() {
        if (!hasFailed) {
            calls.composite.complete();
        }
    }

    private void cancelled() {
        pass.cancel();
        calls.composite.cancel();
    }

    private Mono<Gradient> completed() {
        if (!isStopped) {
            pass.complete();
        }
        return end.asMono();
    }

    private void subscribed() {
        isSubscribed = true;
        if (isStopped) {
            stopped();
        }
    }

    /** Not before those in front have opened their own composite calls, on which other ranks count. */
    @Override
    public void stopped() {
        isStopped = true;
        if (isSubscribed && !isOver && pass.isFirst()) {
            cut.tryEmitEmpty();
        }
    }

    @Override
    public void ended(@Nullable Throwable error) {
        if (error == null) {
            end.tryEmitEmpty();
        } else {
            end.tryEmitError(error);
        }
    }
}

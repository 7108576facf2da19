package io.reactivecomm.hook;

import io.reactivecomm.Reduction;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

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
final class HookStep implements ReducingPass.Watch {

    private final ReducingPass pass;
    private final Reduction op;
    private final Sinks.Empty<Void> cut = Sinks.empty();
    private final Sinks.Empty<Gradient> end = Sinks.empty();
    private volatile boolean isStopped;
    /** Whether those before it are in the chain. */
    private volatile boolean isSubscribed;

    HookStep(ReducingPass pass, Reduction op) {
        this.pass = pass;
        this.op = op;
    }

    /** Begins the step. {@return what it brings} All calls are under way at once: with a limit, ranks whose first gradients differ would wait for ever. */
    Flux<Gradient> begin(Flux<Object> composite, Flux<Gradient> ready, ContextView context) {
        pass.open(composite, context, this);
        return pass.source(ready)
                .doOnSubscribe(subscription -> subscribed())
                .onErrorResume(error -> {
                    pass.fail(error);
                    return Flux.error(error);
                })
                .takeUntilOther(cut.asMono())
                .flatMapDelayError(this::reduce, Integer.MAX_VALUE, 1)
                .onErrorResume(this::failed)
                .concatWith(Mono.defer(this::completed))
                .doOnCancel(pass::cancel);
    }

    /** What fails because the step has is no news. */
    private Mono<Gradient> reduce(Gradient gradient) {
        return Mono.defer(() -> pass.isOpen() ? call(gradient) : Mono.<Gradient>empty())
                .onErrorResume(error -> pass.isOpen() ? Mono.error(error) : Mono.empty());
    }

    private Mono<Gradient> call(Gradient gradient) {
        pass.enter(gradient);
        return pass.inside().named(gradient.name()).allReduce(gradient.tensor(), op).thenReturn(gradient);
    }

    private Mono<Gradient> failed(Throwable error) {
        List<Throwable> errors = Exceptions.unwrapMultiple(error);
        pass.fail(errors.getFirst());
        return end.asMono().onErrorMap(told -> GradientHooks.withOthers(told, errors));
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
        if (isSubscribed && pass.isFirst()) {
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

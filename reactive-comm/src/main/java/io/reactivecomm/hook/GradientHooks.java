package io.reactivecomm.hook;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The hooks that a training framework runs its steps through.
 *
 * <pre>{@code
 * GradientHooks hooks = new GradientHooks();
 * Disposable model = hooks.register(ParallelHooks.modelParallel(tensorGroup));
 * Disposable data = hooks.register(ParallelHooks.dataParallel(dataGroup, ReduceOp.AVG));
 * …
 * hooks.run(step).block();      // each gradient has been summed over tensorGroup, then averaged over dataGroup
 * model.dispose();              // from the next step on, over dataGroup only
 * }</pre>
 *
 * <p>A gradient goes through the hooks in the order of their registration, each gradient on its own: one may be through the last hook
 * before another has entered the first. Without a hook gradients come back as they are.
 *
 * <p><b>Threads.</b> Any. A step goes through the hooks that were registered when it began.
 */
public final class GradientHooks implements GradientHook {

    private final List<Registration> registered = new CopyOnWriteArrayList<>();

    /** A hook's place; the same hook may have several. */
    private static final class Registration {

        private final GradientHook hook;

        Registration(GradientHook hook) {
            this.hook = hook;
        }
    }

    /**
     * Adds a hook after those that are there. All ranks register alike between the same steps.
     *
     * @return disposing of it takes the hook out again; steps that have begun are not changed
     */
    public Disposable register(GradientHook hook) {
        Registration registration = new Registration(hook);
        registered.add(registration);
        return () -> registered.remove(registration);
    }

    @Override
    public Flux<Gradient> apply(Flux<Gradient> ready) {
        return Flux.defer(() -> {
            Flux<Gradient> through = ready;
            for (Registration each : registered) {
                through = each.hook.apply(through);
            }
            return through;
        });
    }

    /**
     * Runs a step: its backward pass, the hooks, and taking back. Begin the next one after its end: calls of one name follow each other.
     *
     * <p><b>Errors.</b> The first failure, with further ones as suppressed, after all gradients that were handed over have come back or
     * failed. A backward pass that throws is told to this rank only: the others wait for the gradients that it did not hand over, until
     * their deadline or until this rank closes or aborts the group.
     *
     * <p><b>Subscription and cancellation.</b> Each subscription is a step. Cancelling detaches the subscriber and cancels the backward
     * pass's {@code Flux}; reductions that have begun run on.
     *
     * @return completes when every gradient has been taken back
     */
    public Mono<Void> run(TrainingStep step) {
        return Flux.defer(() -> apply(step.gradients()))
                .flatMapDelayError(gradient -> Mono.defer(() -> step.takeBack(gradient)), Integer.MAX_VALUE, 1)
                .then()
                .onErrorMap(Exceptions::isMultiple, GradientHooks::first)
                .contextWrite(ReducingPass::apart);
    }

    /** {@return the first of several errors, with the others as suppressed} */
    static Throwable first(Throwable several) {
        List<Throwable> errors = Exceptions.unwrapMultiple(several);
        Throwable first = errors.getFirst();
        errors.stream().skip(1).filter(other -> other != first).forEach(first::addSuppressed);
        return first;
    }
}

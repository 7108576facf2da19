package io.reactivecomm.hook;

import io.reactivecomm.GroupClosedException;
import io.reactivecomm.ProcessGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.CoreSubscriber;
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
    private final RunOrder order = new RunOrder();

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
        Registration registration =
                new Registration(Objects.requireNonNull(hook, "there is no hook to register; give one"));
        registered.add(registration);
        return () -> registered.remove(registration);
    }

    @Override
    public Flux<Gradient> apply(Flux<Gradient> ready) {
        Objects.requireNonNull(ready, "ready");
        return Flux.defer(() -> HookChain.through(order, hooks(), ready));
    }

    private List<GradientHook> hooks() {
        List<GradientHook> hooks = new ArrayList<>();
        for (Registration each : registered) {
            hooks.add(each.hook);
        }
        return hooks;
    }

    /**
     * Runs a step: its backward pass, the hooks, and taking back. Begin the next one after its end: calls of one name follow each other.
     *
     * <p>Each hook that reduces opens one {@linkplain ProcessGroup#composite composite call} on its own group before the backward pass begins, and all
     * calls of the step are inside them. So a step that ends early on one rank leaves nothing behind that a later one could meet.
     *
     * <p><b>Errors.</b> The first failure, with further ones as suppressed, after all gradients that were handed over have come back or failed. What
     * {@link TrainingStep#gradients} or its {@code Flux} throws, or a hook as it is applied, ends the composite calls of all hooks: every rank that has
     * not finished the step gets a typed error that names the cause, in a round trip for each group on the way. So does what an operator between two
     * hooks throws; ranks of groups before it may be told that the step was cancelled. Where a rank ended the step before it begins here, its backward
     * pass is not run. What {@link TrainingStep#takeBack} throws is this rank's own matter, after all gradients have come back.
     *
     * <p>What is fatal to the JVM is an error like others where the backward pass throws it as it is subscribed to or asked for gradients, and is thrown
     * at whoever does so, too. On a thread of the pass's own it is nobody's: hand it over as an error, or the others wait for their deadline. What
     * {@code takeBack}, or an operator behind a reducing hook, throws of that kind ends the step at once, without waiting for gradients under way; on a
     * group's loop it ends the world.
     *
     * <p><b>Subscription and cancellation.</b> Each subscription is a step. Cancelling cancels the backward pass's {@code Flux} and ends the hooks'
     * composite calls on this rank, although this is a {@code Mono}: a peer that waits, then or later, for a call not made here fails with
     * {@link GroupClosedException}, and one that needs no further call completes. Reductions that have begun run on.
     *
     * <p><b>Deadline.</b> Only calls have one. The backward pass and taking back may take their time.
     *
     * @return completes when every gradient has been taken back
     */
    public Mono<Void> run(TrainingStep step) {
        Objects.requireNonNull(step, "step");
        return Mono.defer(() -> {
            ChainBreak chainBreak = new ChainBreak();
            return apply(Flux.defer(step::gradients))
                    .flatMapDelayError(gradient -> takingBack(step, gradient, chainBreak), Integer.MAX_VALUE, 1)
                    .then()
                    .takeUntilOther(chainBreak.error())
                    .onErrorMap(Exceptions::isMultiple, GradientHooks::first)
                    .contextWrite(context -> chainBreak.in(ReducingPass.apart(context)));
        });
    }

    private static Mono<Void> takingBack(TrainingStep step, Gradient gradient, ChainBreak chainBreak) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Void> subscriber) {
                chainBreak.watch(() -> Mono.defer(() -> step.takeBack(gradient)).subscribe(subscriber));
            }
        };
    }

    /** {@return the first of several errors, with the others as suppressed} */
    static Throwable first(Throwable several) {
        List<Throwable> errors = Exceptions.unwrapMultiple(several);
        return withOthers(errors.getFirst(), errors);
    }

    /** {@return an error, with others as suppressed} */
    static Throwable withOthers(Throwable error, List<Throwable> others) {
        others.stream().filter(other -> other != error).forEach(error::addSuppressed);
        return error;
    }
}

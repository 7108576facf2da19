package io.reactivecomm.hook;

import io.reactivecomm.InvalidCallException;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;

/**
 * An operator on the gradients of one step: reduces each over ranks, fuses small ones, compresses, clips.
 *
 * <p>Gradients come as the backward pass makes them, so a hook may begin with the first while the others are still to come. It emits
 * every one of them again once it is done with it, in any order, and completes after the last. It is an operator like any other, so
 * {@code gradients.transform(hook)} works too.
 *
 * <p><b>Demand.</b> As long as anything is asked of it a hook goes on asking for gradients: ranks whose gradients are ready in different
 * orders would wait for each other if a hook took the next only when one is done.
 *
 * <p><b>Errors.</b> A gradient that fails ends the step with its error, after the others have come back. An error of the backward pass, or of a
 * hook before this one, ends it at once, on all ranks, after those have come back that are under way on all of them. Then no call borrows a gradient
 * of this step any more.
 *
 * <p><b>Chains.</b> A reducing hook opens a composite call as it is subscribed to, before the backward pass begins. {@link #then} and
 * {@link GradientHooks} see to it that each hook takes part in each step once, whatever an operator behind does: one that never subscribes to it,
 * keeps the subscription for itself, or comes late. One that subscribes twice, or on two threads, gets an {@link InvalidCallException}; repeat and
 * retry whole steps, or the backward pass in front of all hooks. A chain of {@code transform} cannot know: other ranks of the first hook's group may
 * wait for their deadline, and buckets that nobody subscribed to have not counted that step, so that their next one meets the others' last. Nor can
 * anybody see a hook inside another that throws before it applies it, or has operators of its own behind it: register or {@link #then} them.
 */
@FunctionalInterface
public interface GradientHook extends UnaryOperator<Flux<Gradient>> {

    /** {@return the gradients of a step, each once it is done} */
    @Override
    Flux<Gradient> apply(Flux<Gradient> ready);

    /**
     * {@return a hook that gives what comes out of this one to another}
     * One that throws when it is applied is left out, and the step fails with what it threw.
     */
    default GradientHook then(GradientHook next) {
        Objects.requireNonNull(next, "there is no hook to follow; give one");
        RunOrder order = new RunOrder();
        return ready -> HookChain.through(order, List.of(this, next), ready);
    }
}

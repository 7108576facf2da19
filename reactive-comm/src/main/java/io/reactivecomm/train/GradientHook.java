package io.reactivecomm.train;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A function on the gradients of a step: reduces each over ranks, fuses small ones, compresses, clips.
 *
 * <pre>{@code
 * GradientHook clip = (gradient, step) -> Mono.fromSupplier(() -> clipped(gradient, 1.0));
 * }</pre>
 *
 * <p>A hook may be called in many steps, which follow each other. In each of them:
 *
 * <pre>
 *   begins ──> apply, absent, kept, in any order ──> passEnded ──> {@link StepView#ended}
 *      └───────────────── after a failure or a cancellation ──────────────┘
 * </pre>
 *
 * <p><b>Results.</b> {@link #apply} gives one result or none, whenever it likes; a hook that needs all gradients first keeps them, completes empty, and gives
 * them back in {@link #passEnded}. Each name is a result at most once in a step. Every result enters the next hook whose {@linkplain HookScope scope} takes its name. Nothing bounds how many gradients
 * are in a hook at once: ranks whose gradients are ready in different orders would wait for each other.
 *
 * <p><b>Calls.</b> A hook with a group makes its calls through {@link StepView#group}, between {@code begins} and the end of its last result. They are one
 * composite call, so a step that fails on one rank fails on all, and leaves nothing behind that a later step could meet. A hook without a group makes none.
 * If calls depend on what has arrived, give them names: ranks may have their gradients ready in different orders.
 *
 * <p><b>Errors.</b> Whatever a method throws, or its publisher signals, fails the step on all ranks, in a round trip for each group on the way. Gradients that are on their way by
 * then may still enter hooks; after them no method is called. A result that the hook still owes when the step has failed is cancelled once no call and no {@linkplain StepView#hold hold} of
 * the step is left. That includes errors that are fatal to the JVM, except for one that a publisher throws later on a thread of its own: Reactor drops it, so the result never
 * comes, and the step ends when a call that waits for it reaches its deadline.
 *
 * <p><b>Threads.</b> The methods of all hooks of a step are called one at a time, each after the effects of the one before are visible, on the thread that had
 * the news: the backward pass's, the group's loop, or one that a hook emitted on. They must not block. Long work goes to another thread. The publishers may
 * emit on any thread.
 */
@FunctionalInterface
public interface GradientHook {

    /**
     * A step begins here: the composite calls of all its hooks are open, and no gradient has arrived. A hook that must make a call in every step makes it here.
     *
     * @param step the same object in all calls for this hook in this step
     */
    default void begins(StepView step) {
        // Most have nothing to prepare.
    }

    /**
     * Takes a gradient that this rank, or a hook before this one, has produced.
     *
     * @return its result, or nothing if it comes later from {@link #passEnded} or not at all; subscribed to at once
     */
    Mono<Gradient> apply(Gradient gradient, StepView step);

    /**
     * This rank will not produce a gradient in this step, as its program announced ({@link Gradient#absent}). Called for each such name on every hook that takes
     * it, up to and including the first with a group, which may produce the gradient all the same because another rank has it. Later hooks learn at
     * {@link #passEnded} that it has not come.
     */
    default void absent(String name, StepView step) {
        // A hook that treats each gradient alone need not know.
    }

    /**
     * As {@link #absent}, but memory in which the hook keeps this gradient from step to step is summed as it stands ({@link Gradient#kept}). A hook without such
     * homes treats it as absent.
     */
    default void kept(String name, StepView step) {
        absent(name, step);
    }

    /**
     * No further gradient enters this hook in this step. Called once the backward pass has ended, and the {@code passEnded} of every hook before has completed,
     * with all of its results.
     *
     * @return further results: those kept back, and gradients that this rank never produced. The hook has completed when this and all that {@link #apply} returned
     *     have; then no call may follow
     */
    default Flux<Gradient> passEnded(StepView step) {
        return Flux.empty();
    }

    /** {@return the scope with which it is registered, unless the program gives another} By default all names and no group. */
    default HookScope scope() {
        return HookScope.NO_CALLS;
    }

    /** {@return a few words for it, in errors and diagnostics} Ranks compare them, so they must not differ between ranks. */
    default String label() {
        return "hook";
    }
}

package io.reactivecomm.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * One hook's view of one step, valid from {@link GradientHook#begins} until {@link #ended} signals.
 *
 * <p><b>Threads.</b> Any.
 */
public interface StepView {

    /** {@return the step's number, from 0: how many steps the runner began before} */
    long number();

    /**
     * {@return the group for the calls of this hook in this step} They are one composite call. Two hooks never meet in it: each counts its calls alone.
     *
     * @throws InvalidCallException if the hook was registered without a group
     */
    ProcessGroup group();

    /** {@return the context of the step's subscriber} For calls that a hook subscribes to itself: what it returns has this context already. */
    ContextView context();

    /**
     * Announces that this hook assembles no further call in this step; calls under way go on. Ranks that wait for a further one get a
     * {@link io.reactivecomm.MismatchException}. The runner does so when the hook has completed. A hook whose calls wait for other ranks' gradients
     * announces it as soon as it has assembled the last one: two such ranks would wait for each other. Idempotent.
     */
    void noFurtherCalls();

    /**
     * Notes that this hook adds a gradient up over its group.
     *
     * @throws InvalidCallException if another hook of this step has added it up over the same ranks, two or more: the result would be a multiple
     */
    void reduces(String name);

    /** Fails the step on all ranks, as an error of a result does. For work that belongs to no result, such as a bucket whose gradients this rank lacks. */
    void fail(Throwable error);

    /**
     * Delays the step's terminal signal: a hook whose own code, or whose device, still uses memory of the step after its calls have ended holds the step while it
     * does. It takes the hold before those calls are subscribed to. The delay is at most the deadline of the hook's group, from the end of the calls; that of a hook without a group has no bound.
     *
     * @return ends the hold; idempotent
     */
    Runnable hold();

    /**
     * {@return completes when the step has succeeded, or fails with the step's error} It signals once no call made through this view is in flight, so memory that
     * those calls borrowed is free. After a cancellation it fails with a {@link java.util.concurrent.CancellationException}.
     */
    Mono<Void> ended();
}

package io.reactivecomm.internal.train;

import io.reactivecomm.train.Gradient;
import org.jspecify.annotations.Nullable;

/**
 * The effects of a {@link StepMachine}. It calls them while it handles an event. An effect must not throw, and must not call the machine: what comes of it
 * is a later event. Hooks are known by their places in the order of the step, from 0.
 */
public interface StepEffects {

    /** Opens all composite calls of the step. {@link StepMachine#opened} follows, also if an opening failed. */
    void open();

    /** Calls {@code begins} of a hook. */
    void begins(int hook);

    /** Subscribes to the step's gradients, which runs the backward pass. */
    void subscribe();

    /** Requests more gradients. */
    void request(long count);

    /** Cancels the subscription to the step's gradients, if there is one. None comes after that. */
    void cancelSource();

    /** Calls {@code apply} of a hook and subscribes to its result. {@link StepMachine#applied} follows once, unless it is cancelled. */
    void apply(int hook, Gradient gradient);

    /** Calls {@code absent} or {@code kept} of a hook. */
    void notice(int hook, Gradient notice);

    /** Calls {@code passEnded} of a hook and subscribes to its results. {@link StepMachine#flowEnded} follows once, unless it is cancelled. */
    void passEnded(int hook);

    /** Announces that a hook makes no further call. */
    void noFurtherCalls(int hook);

    /** Completes all composite calls: this rank makes no further call in them. */
    void complete();

    /** Fails all composite calls that have not ended. */
    void fail(Throwable error);

    /** Leaves all composite calls that have not ended, because the subscriber has cancelled. */
    void leave();

    /** Signals the end to all views. @param error null if the step has succeeded */
    void endViews(@Nullable Throwable error);

    /** Cancels all results that hooks still owe. */
    void cancelHooks();

    /**
     * Gives a result to the program.
     *
     * @return whether the program is done with it already; if not, {@link StepMachine#takenBack} follows once, unless the program has cancelled
     */
    boolean handOut(Gradient result);

    /** Closes a result that no program takes. */
    void discard(Gradient result);

    /** The step has ended. The last effect. @param error null if the step has succeeded, or was cancelled without a failure */
    void end(@Nullable Throwable error);
}

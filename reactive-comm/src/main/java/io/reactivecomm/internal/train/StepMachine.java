package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.train.Gradient;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One step of training on one rank: which hook a gradient enters next, when a hook has all of its gradients, when the step ends, and with what. A pure
 * machine: events in, {@link StepEffects} out, without clock, thread or randomness.
 *
 * <pre>
 *   WAITING ── opened ──&gt; FLOWING ── all hooks have completed ──&gt; COMPLETING ──┐
 *      │                     │                                       │        ├── all composite calls have ended ──&gt; SETTLING ──&gt; OVER
 *      └──── fail, stopped or cancel, after opened ──&gt; STOPPING &lt;────┘ ───────┘
 * </pre>
 *
 * <p>The table of transitions is in decision 41.
 *
 * <p><b>The way of a gradient.</b> It enters the first hook that takes its name, the result of that enters the next one, and the result of the last is the step's. A
 * notice that this rank lacks a gradient goes to each hook that takes the name, up to the first with a group: that one may produce the gradient. When the source has
 * ended, hook 0's {@code passEnded} is called. When all of its results have come out, its calls are all made, and hook 1's is called.
 *
 * <p><b>Demand.</b> While more results are wanted than there have been, gradients are requested: as many as are wanted, and again as many whenever all of these
 * have come. A notice counts as a gradient that came without a result, and a hook may give results that came of no gradient, so neither count follows from the other.
 * Results that are not wanted yet wait; they delay no hook and no composite call, only the end.
 *
 * <p><b>Failures.</b> The first error counts. It fails all composite calls at once, so every rank learns of it while calls that all ranks have begun run to their
 * ends. Nothing enters a hook any more, but a result that no further hook takes is the step's. When no composite call is open, the views end, which lets hooks release what
 * they hold; when nothing is held, the results that hooks still owe are cancelled. An error of taking back is this rank's own: the step succeeds elsewhere.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class StepMachine {

    private enum State {
        /** Composite calls are being opened, or it is not the step's turn. */
        WAITING,
        FLOWING,
        /** All hooks have completed, and the composite calls are about to end. */
        COMPLETING,
        /** The step has failed, here or elsewhere, or was cancelled. */
        STOPPING,
        /** No composite call is open. */
        SETTLING,
        OVER
    }

    /**
     * The properties of a hook that decide the way of gradients through a step.
     *
     * @param hasGroup whether it reduces over ranks, and so may produce a gradient that this rank lacks
     * @param names whether it takes a gradient of a name
     */
    public record HookPlace(boolean hasGroup, Predicate<String> names) {}

    private static final long UNLIMITED = Long.MAX_VALUE;

    private final String place;
    private final List<HookPlace> hooks;
    private final StepEffects effects;
    /** For each hook, the number of gradients in it, and its flow of further results once its pass has ended. */
    private final int[] inside;

    private final Queue<Gradient> results = new ArrayDeque<>();
    private final Set<String> seen = new HashSet<>();

    private State state = State.WAITING;
    /** The composite calls that have not ended. */
    private int open;
    /** The hook whose pass ends next, or has ended last; -1 before that. */
    private int ending = -1;

    /** Hooks owe no results, or what they owed was cancelled. */
    private boolean areOwedCancelled;

    private boolean isSourceEnded;
    private boolean isCancelled;
    /** The step has failed elsewhere, and the reason comes with the end of a composite call. */
    private boolean isStoppedElsewhere;

    private @Nullable Throwable failure;
    /** The first error, be it the failure or one of taking back, with the others suppressed. */
    private @Nullable Throwable outcome;

    private int holds;
    private int takingBack;
    private long wanted;
    private long made;
    /** The gradients that are requested and have not come. */
    private long outstanding;

    private long produced;

    /**
     * A step that has not begun.
     *
     * @param hooks in their order
     * @param place the step and the rank, for errors
     * @param composites the number of composite calls that {@link StepEffects#open} opens
     */
    public StepMachine(String place, List<HookPlace> hooks, int composites, StepEffects effects) {
        this.place = place;
        this.hooks = List.copyOf(hooks);
        this.open = composites;
        this.effects = effects;
        this.inside = new int[this.hooks.size()];
    }

    /** {@return the number of gradients that the source has produced} */
    public long produced() {
        return produced;
    }

    /** {@return the number of results so far} */
    public long made() {
        return made;
    }

    /** {@return whether the step has ended} */
    public boolean isOver() {
        return state == State.OVER;
    }

    /** The step has its turn. */
    public void begin() {
        effects.open();
    }

    /** All composite calls have been opened. Some may have ended by now. */
    public void opened() {
        if (failure != null || isStoppedElsewhere || isCancelled) {
            stop();
            return;
        }
        state = State.FLOWING;
        for (int hook = 0; hook < hooks.size(); hook++) {
            effects.begins(hook);
        }
        effects.subscribe();
        ask();
    }

    /** The program wants more results. */
    public void requested(long count) {
        wanted = wanted + count < 0 ? UNLIMITED : wanted + count;
        handOut();
        ask();
    }

    /** The source has emitted a gradient, or a notice. */
    public void arrived(Gradient gradient) {
        outstanding = outstanding == UNLIMITED || outstanding == 0 ? outstanding : outstanding - 1;
        if (state != State.FLOWING) {
            return;
        }
        if (!seen.add(gradient.name())) {
            fail(twice(gradient));
            return;
        }
        switch (gradient.kind()) {
            case PRODUCED -> {
                produced++;
                enter(0, gradient);
            }
            case ABSENT, KEPT -> notice(gradient);
        }
        ask();
    }

    private InvalidCallException twice(Gradient gradient) {
        return new InvalidCallException("a gradient came twice in one step: name=" + gradient.name() + ", kind="
                + gradient.kind() + ", tensor=" + gradient.tensor() + ", " + place
                + "; hand each over once, as a gradient or as a notice");
    }

    /** Puts a gradient into the first hook, from one on, that takes it. One that no hook takes is a result, also in a step that has failed. */
    private void enter(int from, Gradient gradient) {
        int hook = from;
        while (hook < hooks.size() && !hooks.get(hook).names().test(gradient.name())) {
            hook++;
        }
        boolean isResult = hook == hooks.size();
        if (areOwedCancelled || isCancelled || !isResult && state != State.FLOWING) {
            effects.discard(gradient);
        } else if (isResult) {
            made++;
            results.add(gradient);
            handOut();
        } else {
            inside[hook]++;
            effects.apply(hook, gradient);
        }
    }

    private void notice(Gradient notice) {
        for (int hook = 0; hook < hooks.size(); hook++) {
            if (hooks.get(hook).names().test(notice.name())) {
                effects.notice(hook, notice);
                if (hooks.get(hook).hasGroup()) {
                    return;
                }
            }
        }
    }

    /** The source has completed. */
    public void sourceEnded() {
        isSourceEnded = true;
        if (state == State.FLOWING) {
            endPass();
        }
    }

    /** A hook has finished with a gradient. @param result null if it has none */
    public void applied(int hook, @Nullable Gradient result) {
        if (result != null) {
            emitted(hook, result);
        }
        left(hook);
    }

    /** A hook has emitted one of the results that follow the end of its pass. */
    public void emitted(int hook, Gradient result) {
        enter(hook + 1, result);
    }

    /** A hook has no further results after the end of its pass. */
    public void flowEnded(int hook) {
        left(hook);
    }

    private void left(int hook) {
        if (areOwedCancelled) {
            return;
        }
        inside[hook]--;
        if (state == State.FLOWING && hook == ending && inside[hook] == 0) {
            effects.noFurtherCalls(hook);
            endPass();
        }
    }

    /** No gradient is left in the hook whose pass has ended last, and so the next one's has ended. */
    private void endPass() {
        ending++;
        if (ending < hooks.size()) {
            inside[ending]++;
            effects.passEnded(ending);
        } else {
            state = State.COMPLETING;
            effects.complete();
            settle();
        }
    }

    /** The source, a hook, or the opening of a composite call has failed. The first error counts. */
    public void fail(Throwable error) {
        if (state.compareTo(State.STOPPING) < 0 && failure == null) {
            failure = error;
            note(error);
            stopUnlessWaiting();
        }
    }

    /** A composite call has failed elsewhere: no further call begins in it. {@link #compositeEnded} follows with the error. */
    public void compositeStopped() {
        if (state.compareTo(State.STOPPING) < 0) {
            isStoppedElsewhere = true;
            stopUnlessWaiting();
        }
    }

    /** The subscriber has cancelled. */
    public void cancel() {
        if (isCancelled || state == State.OVER) {
            return;
        }
        isCancelled = true;
        results.forEach(effects::discard);
        results.clear();
        takingBack = 0;
        if (state == State.STOPPING) {
            // Those that have not failed are open on other ranks, which may wait in them.
            effects.leave();
        }
        stopUnlessWaiting();
        settle();
    }

    private void stopUnlessWaiting() {
        if (state == State.FLOWING || state == State.COMPLETING) {
            stop();
        }
    }

    private void stop() {
        state = State.STOPPING;
        effects.cancelSource();
        if (failure != null) {
            effects.fail(failure);
        } else if (isCancelled) {
            effects.leave();
        }
        settle();
    }

    /** A composite call has ended, and no call in it is in flight. @param error null if it has succeeded, or was left */
    public void compositeEnded(@Nullable Throwable error) {
        open--;
        if (error != null && failure == null) {
            failure = error;
            note(error);
            if (state == State.STOPPING) {
                effects.fail(error);
            } else {
                stopUnlessWaiting();
            }
        }
        settle();
    }

    /** A hook delays the end. */
    public void held() {
        holds++;
    }

    /** A hook no longer delays the end. */
    public void released() {
        holds--;
        settle();
    }

    /** The program is done with a result. @param error null if all went well */
    public void takenBack(@Nullable Throwable error) {
        if (isCancelled) {
            return;
        }
        takingBack--;
        if (error != null) {
            note(error);
        }
        settle();
    }

    private void note(Throwable error) {
        if (outcome == null) {
            outcome = error;
        } else if (outcome != error) {
            outcome.addSuppressed(error);
        }
    }

    private void settle() {
        if (open == 0 && (state == State.COMPLETING || state == State.STOPPING)) {
            state = State.SETTLING;
            effects.endViews(viewError());
        }
        if (state == State.SETTLING && holds == 0) {
            cancelOwed();
            if (takingBack == 0 && results.isEmpty()) {
                state = State.OVER;
                effects.end(outcome);
            }
        }
    }

    private void cancelOwed() {
        if (!areOwedCancelled) {
            areOwedCancelled = true;
            if (Arrays.stream(inside).anyMatch(owed -> owed > 0)) {
                effects.cancelHooks();
            }
        }
    }

    private @Nullable Throwable viewError() {
        return failure == null && isCancelled
                ? new CancellationException("the step was cancelled on this rank")
                : failure;
    }

    private void handOut() {
        while (!results.isEmpty() && made - results.size() < wanted) {
            if (!effects.handOut(results.remove())) {
                takingBack++;
            }
        }
        settle();
    }

    /** Requests gradients while results are missing. Whether a gradient brings one is not known, so all that were requested come first. */
    private void ask() {
        long unmet = wanted == UNLIMITED ? UNLIMITED : wanted - made;
        if (state == State.FLOWING && !isSourceEnded && unmet > 0 && outstanding == 0) {
            outstanding = unmet;
            effects.request(unmet);
        }
    }
}

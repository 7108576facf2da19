package io.reactivecomm.internal.train;

import io.reactivecomm.CompositeView;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Switched;
import io.reactivecomm.internal.base.OwnThreads;
import io.reactivecomm.train.StepView;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * One hook's view of one step. If the hook has a group, its composite call is held open from here: the body emits nothing and ends when the step says so.
 *
 * <pre>
 *   open ──&gt; body ─┬─ complete, fail ──&gt; all ranks are notified ──┬── the calls inside have ended ──&gt; compositeEnded
 *                  ├─ it fails elsewhere ──&gt; compositeStopped ────┤
 *                  └─ leave ──&gt; ranks that wait for more fail ────┘
 * </pre>
 *
 * <p>The first of complete, fail and leave counts. Without a group there is no composite call, and these do nothing.
 *
 * <p><b>Threads.</b> Any; the methods that are no part of {@link StepView} on the thread that is at the step's queue.
 */
final class HookView implements StepView {

    private static final long NONE = -1;

    private final StepDriver step;
    private final @Nullable ProcessGroup group;
    private final String operation;
    private final Sinks.Empty<Object> body = Sinks.empty();
    /** The composite call's body has its end, or was left. */
    private final AtomicBoolean isDecided = new AtomicBoolean();

    private final AtomicBoolean isOver = new AtomicBoolean();
    private Disposable call = Disposables.disposed();
    /** The view for the calls of the hook, once the composite call has begun. */
    private volatile @Nullable ProcessGroup inside;

    private final Sinks.Empty<Void> end = Sinks.empty();
    private final Set<Hold> holds = ConcurrentHashMap.newKeySet();
    /** The deadline of holds, once the view has ended. */
    private volatile long deadlineNanos = NONE;

    /** @param operation of the composite call, which ranks compare */
    HookView(StepDriver step, @Nullable ProcessGroup group, String operation) {
        this.step = step;
        this.group = group;
        this.operation = operation;
    }

    /** {@return whether calls can be made} Not if another rank has failed the step already: the end of the composite call follows, with the error. */
    boolean isOpen() {
        return group == null || inside != null;
    }

    /** Opens the composite call, also if the group throws: other ranks count on it. Its end is that error then. */
    void open() {
        if (group == null) {
            return;
        }
        Throwable thrown = null;
        ProcessGroup switched = group;
        boolean isOff = false;
        try {
            ProcessGroup kept = Switched.kept(group);
            isOff = Switched.isOff(kept, Operation.ALL_REDUCE);
            switched = isOff ? Switched.off(kept) : Switched.on(kept);
        } catch (Exception | Error e) {
            thrown = e;
        }
        try {
            subscribe(group, switched, isOff);
        } catch (Exception | Error e) {
            over(e);
            throw e;
        }
        if (thrown != null) {
            failCalls(thrown);
        }
    }

    private void subscribe(ProcessGroup own, ProcessGroup switched, boolean isOff) {
        Context context = step.context;
        call = Switched.on(own)
                .composite(operation)
                .waitingOnly()
                .flux(view -> {
                    inside = isOff && view instanceof Switched off ? off.switched(Set.of(Operation.ALL_REDUCE)) : view;
                    return body.asMono().doOnCancel(this::stopped);
                })
                // A group of the program's own may have no switches.
                .subscribe(
                        nothing -> {},
                        this::over,
                        () -> over(null),
                        switched instanceof Switched
                                ? context.put(Switched.class, switched)
                                : context.delete(Switched.class));
    }

    /** The composite call has failed elsewhere: no further call begins. */
    private void stopped() {
        if (!isDecided.get()) {
            step.post(step.machine::compositeStopped);
        }
    }

    /**
     * Reports the end of the composite call. After a failure, hooks may still have made calls. The loop refuses these, but they borrow their tensors until then. When the
     * event is handled, no hook makes further calls.
     */
    private void over(@Nullable Throwable error) {
        if (isOver.compareAndSet(false, true)) {
            step.post(() -> {
                if (error != null && inside instanceof CompositeView view) {
                    view.callsEnded()
                            .subscribe(
                                    nothing -> {},
                                    none -> {},
                                    () -> step.post(() -> step.machine.compositeEnded(error)));
                } else {
                    step.machine.compositeEnded(error);
                }
            });
        }
    }

    /** {@return whether the composite call is open, and is decided by the caller} */
    private boolean decides() {
        return inside != null && isDecided.compareAndSet(false, true);
    }

    void complete() {
        if (decides()) {
            body.tryEmitEmpty();
        }
    }

    void failCalls(Throwable error) {
        if (decides()) {
            body.tryEmitError(error);
        }
    }

    void leave() {
        if (group != null && isDecided.compareAndSet(false, true)) {
            call.dispose();
            // A subscriber that has cancelled gets no end.
            if (inside instanceof CompositeView view) {
                view.callsEnded().subscribe(nothing -> {}, this::over, () -> over(null));
            } else {
                over(null);
            }
        }
    }

    /** Signals the end. From now on holds have a deadline; most are released by the signal. */
    void end(@Nullable Throwable error) {
        deadlineNanos =
                group == null ? NONE : OwnThreads.countable(group.timeout()).toNanos();
        try {
            if (error == null) {
                end.tryEmitEmpty();
            } else {
                end.tryEmitError(error);
            }
        } finally {
            List.copyOf(holds).forEach(Hold::expire);
        }
    }

    @Override
    public long number() {
        return step.number;
    }

    @Override
    public ProcessGroup group() {
        ProcessGroup calls = inside;
        if (calls == null) {
            throw new InvalidCallException(
                    group == null
                            ? "a hook makes calls without a group: step=" + step.number
                                    + "; register it with HookScope.of(group)"
                            : "a hook makes calls in a step that had failed before it began: step=" + step.number
                                    + "; make calls between begins and the end of the last result");
        }
        return calls;
    }

    @Override
    public ContextView context() {
        return step.context;
    }

    @Override
    public void noFurtherCalls() {
        if (inside instanceof CompositeView view) {
            view.noFurtherCalls();
        }
    }

    @Override
    public void reduces(String name) {
        step.reduced.reduces(name, group());
    }

    @Override
    public void fail(Throwable error) {
        step.failed(Objects.requireNonNull(error, "a step fails without an error; give one"));
    }

    @Override
    public Runnable hold() {
        Hold hold = new Hold();
        step.post(step.machine::held);
        holds.add(hold);
        hold.expire();
        return hold;
    }

    @Override
    public Mono<Void> ended() {
        return end.asMono();
    }

    /** Ends itself when it is run. */
    private final class Hold implements Runnable {

        private final Disposable.Swap deadline = Disposables.swap();

        /** Begins its deadline, once the view has ended. */
        private void expire() {
            long nanos = deadlineNanos;
            if (nanos != NONE) {
                deadline.update(OwnThreads.deadlines().schedule(this, nanos, TimeUnit.NANOSECONDS));
            }
        }

        @Override
        public void run() {
            if (holds.remove(this)) {
                deadline.dispose();
                step.post(step.machine::released);
            }
        }
    }
}

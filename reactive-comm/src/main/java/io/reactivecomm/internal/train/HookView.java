package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
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
import reactor.util.context.ContextView;

/**
 * One hook's view of one step, with its composite call.
 *
 * <p><b>Threads.</b> Any; the methods that are no part of {@link StepView} on the thread that is at the step's queue.
 */
final class HookView implements StepView, HeldComposite.Listener {

    private static final long NONE = -1;

    private final StepDriver step;
    private final @Nullable ProcessGroup group;
    private final @Nullable HeldComposite calls;
    private final Sinks.Empty<Void> end = Sinks.empty();
    private final Set<Hold> holds = ConcurrentHashMap.newKeySet();
    /** The deadline of holds, once the view has ended. */
    private volatile long deadlineNanos = NONE;

    HookView(StepDriver step, StepHook hook) {
        this.step = step;
        this.group = hook.scope().group();
        this.calls = group == null ? null : new HeldComposite(group, hook.operation(), this);
    }

    /** {@return whether calls can be made} Not if another rank has failed the step already: the end of the composite call follows, with the error. */
    boolean isOpen() {
        return calls == null || calls.inside() != null;
    }

    void open() {
        if (calls != null) {
            calls.open(step.context());
        }
    }

    @Override
    public void stopped() {
        step.post(step.machine()::compositeStopped);
    }

    @Override
    public void ended(@Nullable Throwable error) {
        step.post(() -> step.machine().compositeEnded(error));
    }

    void complete() {
        if (calls != null) {
            calls.complete();
        }
    }

    void failCalls(Throwable error) {
        if (calls != null) {
            calls.fail(error);
        }
    }

    void leave() {
        if (calls != null) {
            calls.leave();
        }
    }

    /** Signals the end. From now on holds have a deadline. */
    void end(@Nullable Throwable error) {
        if (group != null) {
            deadlineNanos = OwnThreads.countable(group.timeout()).toNanos();
            List.copyOf(holds).forEach(Hold::expire);
        }
        if (error == null) {
            end.tryEmitEmpty();
        } else {
            end.tryEmitError(error);
        }
    }

    @Override
    public long number() {
        return step.number();
    }

    @Override
    public ProcessGroup group() {
        ProcessGroup inside = calls == null ? null : calls.inside();
        if (inside == null) {
            throw new InvalidCallException("a hook makes calls without a group: step=" + step.number()
                    + "; register it with HookScope.of(group)");
        }
        return inside;
    }

    @Override
    public ContextView context() {
        return step.context();
    }

    @Override
    public void noFurtherCalls() {
        if (calls != null) {
            calls.noFurtherCalls();
        }
    }

    @Override
    public void reduces(String name) {
        step.reduced().reduces(name, group());
    }

    @Override
    public void fail(Throwable error) {
        step.fail(Objects.requireNonNull(error, "a step fails without an error; give one"), () -> {});
    }

    @Override
    public Runnable hold() {
        Hold hold = new Hold();
        step.post(step.machine()::held);
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

        private final AtomicBoolean isOver = new AtomicBoolean();
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
            if (isOver.compareAndSet(false, true)) {
                holds.remove(this);
                deadline.dispose();
                step.post(step.machine()::released);
            }
        }
    }
}

package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.internal.base.DrainLoop;
import io.reactivecomm.internal.base.OwnThreads;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.StepEnd;
import io.reactivecomm.train.TrainingStep;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.Fuseable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * The threads of one step: it feeds a {@link StepMachine} with events, one at a time, and carries out its effects.
 *
 * <pre>
 *   backward pass ─ gradient ─┐
 *   loop ─ result, end ───────┼─&gt; queue ─&gt; machine ─&gt; hook, composite call, program       on whichever of these threads finds the queue idle
 *   any ─ demand, cancel ─────┘
 * </pre>
 *
 * <p><b>The source</b> may compute the whole backward pass while it is subscribed to or asked for gradients. So that is done outside the queue: gradients enter hooks while the pass
 * computes. It is done by the thread that subscribes, wants more or brings a gradient. If that must not block, as a loop must not, or none is at hand, it is done by one of the library's.
 *
 * <p><b>Errors.</b> Whatever the source, a hook or a group throws is caught where it is called, and fails the step. A fatal error is thrown on as well, once the
 * events that are there have been handled.
 *
 * <p><b>Threads.</b> Any.
 */
public final class StepDriver implements StepEffects {

    final long number;
    private final List<StepHook> hooks;
    private final TrainingStep program;
    private final Supplier<StepEnd.Kind> kind;
    private final @Nullable ActiveRanks active;
    final Context context;
    private final StepTurns turns;
    final StepMachine machine;
    private final List<HookView> views = new ArrayList<>();
    final ReducedGradients reduced;
    private final int composites;
    private final Operators.DeferredSubscription source = new Operators.DeferredSubscription();
    private final Set<Owed> owed = new HashSet<>();
    /** For each hook that is buckets, their step: it takes gradients without a publisher for each. Null for other hooks, and where all-reduces are off. */
    private final @Nullable BucketStep[] direct;

    private final Set<TakingBack> takingBack = new HashSet<>();
    private final DrainLoop events = DrainLoop.ofTasks(() -> {}, this::thrown);
    /** The source is to be subscribed to. */
    private final AtomicBoolean subscribes = new AtomicBoolean();
    /** The gradients to be requested of it. */
    private final AtomicLong asked = new AtomicLong();

    /** Of the two takers of the end one is called. They are there before the step begins. */
    private @Nullable Consumer<StepEnd> onSuccess;

    private @Nullable Consumer<Throwable> onFailure;
    private boolean isCancelled;

    /**
     * A step that has not begun.
     *
     * @param context of the program's subscriber, for the source, the hooks and their calls
     */
    public StepDriver(AssembledStep step, Context context, StepTurns turns) {
        this.number = step.number();
        this.hooks = step.hooks();
        this.program = step.program();
        this.kind = step.kind();
        this.active = step.active();
        this.context = context;
        this.turns = turns;
        String place = "step=" + number;
        int withGroups = 0;
        for (StepHook hook : hooks) {
            ProcessGroup group = hook.scope.group();
            views.add(new HookView(this, group, group == null ? "" : hook.operation(group, hooks) + step.agreed()));
            if (group != null && withGroups++ == 0) {
                place += ", rank=" + group.globalRank(group.rank());
            }
        }
        this.direct = new BucketStep[hooks.size()];
        this.reduced = new ReducedGradients(place);
        this.composites = withGroups;
        this.machine =
                new StepMachine(place, hooks.stream().map(StepHook::place).toList(), composites, this);
    }

    /** Begins when the steps before it are over. After a cancellation neither taker of the end is called. */
    public void begin(Consumer<StepEnd> success, Consumer<Throwable> failure) {
        onSuccess = success;
        onFailure = failure;
        turns.take(() -> postAndPull(machine::begin));
    }

    /** The program has no subscriber after all: the step takes its turn, and is left. */
    public void leaveUnlessBegun() {
        if (onSuccess == null) {
            cancel();
            begin(end -> {}, error -> {});
        }
    }

    /** The program wants more results. */
    public void want(long count) {
        postAndPull(() -> machine.requested(count));
    }

    /** The program has cancelled. */
    public void cancel() {
        post(() -> {
            isCancelled = true;
            List.copyOf(takingBack).forEach(each -> events.guarded(each::cancel));
            machine.cancel();
        });
    }

    /** Handles an event, now or behind those that another thread is at. */
    void post(Runnable event) {
        events.add(event);
        if (events.run()) {
            pullElsewhere();
        }
    }

    /** As {@link #post}, on a thread on which the source may compute, unless it must not block. */
    private void postAndPull(Runnable event) {
        events.execute(event);
        if (Schedulers.isInNonBlockingThread()) {
            pullElsewhere();
        } else {
            pull();
        }
    }

    private void pullElsewhere() {
        if (subscribes.get() || asked.get() > 0) {
            OwnThreads.shared().schedule(this::pull);
        }
    }

    /** Subscribes to the source, or requests gradients, if the machine has decided so. */
    private void pull() {
        try {
            long count = asked.getAndSet(0);
            if (count > 0) {
                // Before the subscription, too: a source that computes meanwhile would keep its gradients until they
                // are requested.
                source.request(count);
            }
            if (subscribes.compareAndSet(true, false)) {
                given(program.gradients(), "a step has no gradients").subscribe(new Source());
            }
        } catch (Exception | Error e) {
            thrown(e);
        }
    }

    /** Fails the step, as an event. */
    void failed(Throwable error) {
        post(() -> machine.fail(error));
    }

    private void thrown(Throwable error) {
        failed(error);
        Exceptions.throwIfJvmFatal(error);
    }

    @Override
    public void open() {
        views.forEach(view -> events.guarded(view::open));
        if (!views.stream().allMatch(HookView::isOpen)) {
            post(machine::compositeStopped);
        }
        post(machine::opened);
    }

    @Override
    public void begins(int hook) {
        events.guarded(() -> {
            Buckets buckets = hooks.get(hook).buckets;
            if (buckets == null) {
                hooks.get(hook).hook.begins(views.get(hook));
            } else {
                BucketStep step = buckets.begins(
                        views.get(hook),
                        results -> post(() -> results.forEach(result -> machine.applied(hook, result))),
                        active);
                direct[hook] = step.isOff ? null : step;
            }
        });
    }

    @Override
    public void subscribe() {
        subscribes.set(true);
    }

    @Override
    public void request(long count) {
        asked.accumulateAndGet(count, Operators::addCap);
    }

    @Override
    public void cancelSource() {
        subscribes.set(false);
        events.guarded(source::cancel);
    }

    /** The subscriber of the program's gradients. */
    private final class Source implements CoreSubscriber<Gradient> {

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            source.set(subscription);
        }

        @Override
        public void onNext(Gradient gradient) {
            events.execute(() -> arrived(gradient));
            pull();
        }

        @Override
        public void onError(Throwable error) {
            failed(error);
        }

        @Override
        public void onComplete() {
            post(machine::sourceEnded);
        }
    }

    private void arrived(Gradient gradient) {
        if (gradient.kind() == Gradient.Kind.PRODUCED && composites > 0) {
            reduced.add(gradient);
        }
        machine.arrived(gradient);
    }

    @Override
    public void apply(int hook, Gradient gradient) {
        BucketStep buckets = direct[hook];
        if (buckets != null) {
            give(hook, buckets, gradient);
            return;
        }
        results(new Owed(hook, false), () -> hooks.get(hook).hook.apply(gradient, views.get(hook)));
    }

    private void give(int hook, BucketStep buckets, Gradient gradient) {
        try {
            if (composites > 1) {
                views.get(hook).reduces(gradient.name());
            }
            buckets.take(gradient);
        } catch (Exception | Error e) {
            failed(e);
            post(() -> machine.applied(hook, null));
            throwIfFatal(e);
        }
    }

    @Override
    public void notice(int hook, Gradient notice) {
        events.guarded(() -> {
            switch (notice.kind()) {
                case ABSENT -> hooks.get(hook).hook.absent(notice.name(), views.get(hook));
                case KEPT -> hooks.get(hook).hook.kept(notice.name(), views.get(hook));
                case PRODUCED -> throw new IllegalStateException("a gradient is no notice: name=" + notice.name());
            }
        });
    }

    @Override
    public void passEnded(int hook) {
        results(new Owed(hook, true), () -> hooks.get(hook).hook.passEnded(views.get(hook)));
    }

    private void results(Owed subscriber, Supplier<Publisher<Gradient>> code) {
        owed.add(subscriber);
        try {
            given(code.get(), "a hook has returned no publisher").subscribe(subscriber);
        } catch (Exception | Error e) {
            subscriber.fails(e);
            throwIfFatal(e);
        }
    }

    /** An effect throws nothing: an event does, at its end. */
    private void throwIfFatal(Throwable error) {
        if (Exceptions.isJvmFatal(error)) {
            events.throwLater(error);
        }
    }

    private <P> P given(@Nullable P publisher, String what) {
        return Objects.requireNonNull(
                publisher, () -> what + ": publisher=null, step=" + number + "; return one, perhaps an empty one");
    }

    /** The subscriber of what a hook returns: the result of one gradient, or the flow that follows its pass. */
    private final class Owed extends BaseSubscriber<Gradient> {

        private final int hook;
        private final boolean isFlow;
        private @Nullable Gradient result;

        private Owed(int hook, boolean isFlow) {
            this.hook = hook;
            this.isFlow = isFlow;
        }

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        protected void hookOnNext(Gradient gradient) {
            if (gradient.kind() != Gradient.Kind.PRODUCED) {
                throw new InvalidCallException("a hook has returned a notice: name=" + gradient.name() + ", kind="
                        + gradient.kind() + ", step=" + number + "; only a step's own gradients have notices");
            }
            if (isFlow) {
                post(() -> machine.emitted(hook, gradient));
            } else {
                result = gradient;
            }
        }

        @Override
        protected void hookOnComplete() {
            post(this::ends);
        }

        @Override
        protected void hookOnError(Throwable error) {
            fails(error);
        }

        /** Between its result and its end. */
        @Override
        protected void hookOnCancel() {
            post(this::ends);
        }

        private void fails(Throwable error) {
            result = null;
            failed(error);
            post(this::ends);
        }

        private void ends() {
            if (owed.remove(this)) {
                if (isFlow) {
                    machine.flowEnded(hook);
                } else {
                    machine.applied(hook, result);
                }
            } else if (result != null) {
                discard(result);
            }
        }
    }

    @Override
    public void cancelHooks() {
        List<Owed> all = List.copyOf(owed);
        owed.clear();
        all.forEach(each -> events.guarded(each::cancel));
    }

    @Override
    public void noFurtherCalls(int hook) {
        events.guarded(views.get(hook)::noFurtherCalls);
    }

    @Override
    public void complete() {
        views.forEach(view -> events.guarded(view::complete));
    }

    @Override
    public void fail(Throwable error) {
        views.forEach(view -> events.guarded(() -> view.failCalls(error)));
    }

    @Override
    public void leave() {
        views.forEach(view -> events.guarded(view::leave));
    }

    @Override
    public void endViews(@Nullable Throwable error) {
        views.forEach(view -> events.guarded(() -> view.end(error)));
    }

    @Override
    public boolean handOut(Gradient result) {
        try {
            Mono<Void> back = given(program.takeBack(result), "taking a gradient back has returned no publisher");
            if (back instanceof Fuseable.ScalarCallable<?> known) {
                known.call();
                return true;
            }
            new TakingBack().begin(back);
        } catch (Exception | Error e) {
            post(() -> machine.takenBack(e));
            throwIfFatal(e);
        }
        return false;
    }

    /** The subscriber of the program's use of a result. */
    private final class TakingBack extends BaseSubscriber<Void> {

        private void begin(Mono<Void> back) {
            takingBack.add(this);
            try {
                back.subscribe(this);
            } catch (Exception | Error e) {
                ends(e);
                throwIfFatal(e);
            }
        }

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        protected void hookOnComplete() {
            ends(null);
        }

        @Override
        protected void hookOnError(Throwable error) {
            ends(error);
        }

        private void ends(@Nullable Throwable error) {
            post(() -> {
                if (takingBack.remove(this)) {
                    machine.takenBack(error);
                }
            });
        }
    }

    @Override
    public void discard(Gradient result) {
        events.guarded(() -> closeRows(result));
    }

    /** The rows of a result that no program takes are the hook's own. */
    public static void closeRows(Gradient discarded) {
        SparseTensor rows = discarded.rows();
        if (rows != null) {
            rows.close();
        }
    }

    @Override
    public void end(@Nullable Throwable error) {
        turns.over();
        if (isCancelled) {
            return;
        }
        if (error == null) {
            StepEnd end = new StepEnd(number, machine.produced(), machine.made(), kind.get());
            events.guarded(() -> Objects.requireNonNull(onSuccess).accept(end));
        } else {
            events.guarded(() -> Objects.requireNonNull(onFailure).accept(error));
        }
    }
}

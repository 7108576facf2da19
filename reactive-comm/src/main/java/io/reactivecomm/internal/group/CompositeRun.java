package io.reactivecomm.internal.group;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Switched;
import io.reactivecomm.internal.backend.Backends;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.Failures;
import io.reactivecomm.internal.engine.SwitchFailures;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.internal.stream.StreamPlace;
import io.reactivecomm.internal.stream.StreamWatch;
import io.reactivecomm.internal.switches.Switches;
import io.reactivecomm.internal.switches.WorldSwitches;
import io.reactivecomm.observe.ContextObservers;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * One subscription of a composite call. It runs the body, reports the beginning and the end to the engine, and signals the result to the subscriber. It subscribes
 * to the body directly instead of through operators: each training step makes a run, and the JVM interprets the first thousands.
 *
 * <pre>
 *   subscribe ──&gt; engine: begin ──&gt; body ── value, error, cancel ──&gt; engine: left, failed ── all calls ended ──&gt; subscriber
 *                                    ↑ cancelled where the run fails elsewhere
 * </pre>
 *
 * <p><b>Threads.</b> {@link #left}, {@link #stopped} and {@link #ended} on the loop; the rest any.
 */
abstract sealed class CompositeRun extends BorrowedTensors implements Composite.Sink, StreamWatch
        permits MonoRun, FluxRun {

    /** The progress of its beginning. */
    private enum Phase {
        NEW,
        /** One thread borrows its tensors and notifies the engine. */
        BEGINNING,
        BEGUN
    }

    /** The body's end and the run's. */
    private static final int ENDS = 2;

    private final CompositePlan plan;
    /** The place in the program that assembled it; empty unless call sites are wanted. */
    private final String site;

    private final RankDriver driver;
    private final Composite composite;
    /** Its observation, if it has observers. */
    private @Nullable Observation observation;
    /** The assembler of calls of the composite's own group. */
    private final Assembler own;
    /** The assemblers of other groups, by group: views of one group count their calls together. */
    private final Map<Long, Assembler> others = new ConcurrentHashMap<>();
    /** The body's subscription, once it is there. */
    private final Operators.DeferredSubscription body = new Operators.DeferredSubscription();

    /** The number of open parts: the body until its end, and each stream in it until both ends are done. */
    private final AtomicInteger goingOn = new AtomicInteger(1);

    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.NEW);
    /** The switches as they were when it was assembled, or when its step opened. */
    private volatile Switches switches;

    private volatile boolean isCancelled;
    /** Whether the body makes no further call. */
    private final AtomicBoolean isBodyOver = new AtomicBoolean();
    /** Whether nothing more is taken from the body. */
    private final AtomicBoolean isDone = new AtomicBoolean();
    /** The ends that the subscriber still waits for. */
    private final AtomicInteger awaited = new AtomicInteger(ENDS);

    /** Signals the end to a body that waits for it. Guarded by this. */
    private Sinks.@Nullable Empty<Void> end;
    /** Guarded by this. */
    private boolean hasEnded;
    /** The error of the run on this rank. */
    private volatile @Nullable Throwable thrown;
    /** The failure of the run, on whichever rank it began. */
    private volatile @Nullable Failure failure;

    CompositeRun(CompositePlan plan, CallKey.Ticket key, String site) {
        super(true);
        this.plan = plan;
        this.site = site;
        this.driver = plan.assembler().driver();
        this.switches = plan.switches();
        long timeoutNanos = plan.hasDeadline() ? CallPlace.nanos(plan.options().deadline()) : Composite.NO_DEADLINE;
        this.composite = new Composite(
                plan.assembler().group(),
                key,
                plan.assembler().composite(),
                plan.operation(),
                driver.loop().nanoTime(),
                timeoutNanos,
                this);
        this.own = plan.assembler().within(composite, this);
    }

    Composite composite() {
        return composite;
    }

    /** {@return the assembler of a group's calls that are part of this run} */
    Assembler assembler(Assembler group) {
        return group.group().id() == composite.group().id()
                ? own
                : others.computeIfAbsent(group.group().id(), ignored -> group.within(composite, this));
    }

    @Override
    protected final String operation() {
        return plan.operation();
    }

    @Override
    protected final String label() {
        return composite.key().label();
    }

    @Override
    protected final String advice() {
        return "; a call of the composite call's body goes through the view that the body is given";
    }

    /** {@return the run in messages, as a step of the composite call, such as {@code step 3 of gradient buckets grads#0}} */
    final String step() {
        CallKey.Ticket key = composite.key();
        CallKey.Ticket first = new CallKey.Ticket(
                key.generation(), key.group(), key.step(), key.name(), key.ticket(), 1, key.enclosure());
        return "step " + key.ordinal() + " of " + plan.operation() + " " + first.label();
    }

    @Override
    final Composite claimant() {
        return composite;
    }

    /** {@return the assembler of the composite's own group} */
    Assembler assembler() {
        return own;
    }

    /** {@return the options of the calls that the body makes} */
    CallOptions options() {
        return plan.options().withName("").withSwitches(switches.inside());
    }

    private <P> P given(@Nullable P publisher) {
        if (publisher == null) {
            throw new InvalidCallException(
                    plan.operation() + " got no publisher from its body: publisher=null; return a Mono or a Flux");
        }
        return publisher;
    }

    /** {@return the body's publisher, made now, or null if the body does not run} */
    final <P> @Nullable P made(Function<CompositeRun, ? extends P> code) {
        if (!isToRun()) {
            return null;
        }
        Composite before = BodyThread.enter(composite);
        try {
            return given(code.apply(this));
        } finally {
            BodyThread.leave(before);
        }
    }

    /** Takes the body's subscription. */
    public final void onSubscribe(Subscription subscription) {
        body.set(subscription);
    }

    public final void onComplete() {
        if (isFirstEnd()) {
            bodyEnded();
        }
    }

    public final void onError(Throwable error) {
        if (isFirstEnd()) {
            fail(error);
            bodyEnded();
        } else if (failure == null) {
            Operators.onErrorDropped(error, currentContext());
        }
    }

    /** {@return the subscriber, which receives the end} */
    abstract CoreSubscriber<?> subscriber();

    /** {@return the subscriber's context} */
    public abstract Context currentContext();

    /** {@return whether {@link #tell} releases the tensors} It then does so when the subscriber can receive the result. */
    boolean keepsUntilTold() {
        return false;
    }

    /** Signals the end to the subscriber, once, after both the body and the run have ended. @param error why it failed, or null */
    abstract void tell(@Nullable Throwable error);

    /** Asks the body for items. */
    final void want(long items) {
        body.request(items);
    }

    final boolean isDone() {
        return isDone.get();
    }

    /** Stops taking items from the body. {@return whether this was the first call} */
    final boolean isFirstEnd() {
        return isDone.compareAndSet(false, true);
    }

    final void bodyEnded() {
        leave();
        oneEnded();
    }

    private void oneEnded() {
        if (awaited.decrementAndGet() == 0) {
            tell(error());
        }
    }

    private @Nullable Throwable error() {
        Failure cause = failure;
        return cause == null || thrown != null ? thrown : cause.toException();
    }

    /** Cancels it. A run that is cancelled before it has begun begins all the same, without its tensors, because other ranks count on it. */
    final void cancelled() {
        isCancelled = true;
        if (isFirstToBegin()) {
            begin();
        } else {
            leaveIfCancelled();
        }
        body.cancel();
    }

    final boolean isCancelled() {
        return isCancelled;
    }

    /** Leaves a cancelled run, once the engine has begun it. */
    private void leaveIfCancelled() {
        if (isCancelled && phase.get() == Phase.BEGUN) {
            driver.left(
                    composite,
                    Failures.compositeCancelled(
                            worldRank(), plan.operation(), composite.key().label()));
        }
    }

    /** {@return whether the body runs: its tensors are borrowed, and the run was neither cancelled nor failed before} */
    private boolean isToRun() {
        if (!isFirstToBegin()) {
            return false;
        }
        try {
            borrow(plan.uses().all(), plan.operation());
            claim(
                    driver,
                    plan.assembler().group(),
                    plan.assembler().composite(),
                    plan.uses().reads(),
                    plan.uses().writes());
        } catch (InvalidCallException e) {
            refuse(failure(e));
            return false;
        } catch (Exception | Error e) {
            // The tensor is the program's own. All ranks receive the error.
            thrown = e;
            beginFailed(e);
            throw e;
        }
        begin();
        return thrown == null && !hasFailedElsewhere();
    }

    private boolean hasFailedElsewhere() {
        Failure known = driver.whyFailed(composite.key());
        return known != null
                && !(SwitchFailures.isDifference(known)
                        && plan.assembler().traits().switches().isOff(composite.key()));
    }

    /** Reads the switches, if the run is a step: each step takes them as it opens. */
    private void readSwitches() {
        Switched opened = Borrowing.context(subscriber()).getOrDefault(Switched.class, null);
        if (opened instanceof Switches.Bearer view) {
            switches = view.switchesNow();
            if (switches.isWhole()) {
                plan.assembler().isOff(composite.key(), switches);
            }
        }
    }

    /** {@return whether this thread begins the run} Nothing else about the run is reported before. */
    private boolean isFirstToBegin() {
        return phase.compareAndSet(Phase.NEW, Phase.BEGINNING);
    }

    private void begin() {
        try {
            tellOfBeginning();
        } finally {
            enter();
        }
    }

    private void enter() {
        try {
            CallKey.Ticket key = composite.key();
            readSwitches();
            plan.assembler().place().counts().subscribed(key.name(), key.ticket(), key.ordinal(), this);
        } catch (InvalidCallException e) {
            refuse(failure(e));
            return;
        } catch (Exception | Error e) {
            // All ranks wait for a run that never begins.
            refuse(failure(e), e);
            throw e;
        }
        driver.begin(composite);
        phase.set(Phase.BEGUN);
        leaveIfCancelled();
    }

    /** Begins a run that has failed here. An exception from the beginning is suppressed in that error. */
    private void beginFailed(Throwable error) {
        try {
            begin();
        } catch (Exception | Error e) {
            if (e != error) {
                error.addSuppressed(e);
            }
        }
    }

    private void refuse(Failure failure) {
        refuse(failure, failure.toException());
    }

    /**
     * Refuses the run. If it has failed here before, all ranks receive that first error.
     *
     * @param own the error for this rank's subscriber, which may receive it from the engine before it is thrown here
     */
    private void refuse(Failure failure, Throwable own) {
        Throwable first = thrown;
        if (first == null) {
            thrown = own;
            driver.refuse(composite, failure);
        } else {
            driver.refuse(composite, failure(first));
        }
    }

    private void fail(Throwable error) {
        thrown = error;
        driver.failed(composite, failure(error));
    }

    /** Runs the body. An exception that it throws instead of signalling fails the run on all ranks. */
    final void run(Runnable subscribing) {
        try {
            subscribing.run();
        } catch (Exception | Error e) {
            thrown = e;
            try {
                if (isFirstToBegin()) {
                    beginFailed(e);
                }
            } finally {
                fail(e);
            }
            throw e;
        }
    }

    private Failure failure(Throwable error) {
        CommException cause = error instanceof CommException known
                ? known
                : new InvalidCallException(
                        plan.operation() + " failed: cause=" + ErrorTexts.describe(error)
                                + "; look at that rank's own output",
                        error);
        return plan.assembler().place().failure(cause, composite.key().label());
    }

    private int worldRank() {
        return composite.group().worldRank(composite.group().rank());
    }

    @Override
    public void left(@Nullable Failure cause) {
        Backends others = plan.assembler().traits().backends();
        if (others.hasOthers()) {
            tellOver(others, cause);
        }
    }

    private void tellOver(Backends others, @Nullable Failure cause) {
        CallKey.Ticket key = composite.key();
        WorldSwitches world = plan.assembler().traits().switches();
        if (cause != null) {
            others.compositeOver(composite.group(), key, missing -> cause);
        } else if (world.isOff(key)) {
            others.compositeOver(composite.group(), key, missing -> world.difference(key));
        } else {
            others.compositeOver(
                    composite.group(),
                    key,
                    missing -> Failures.compositeOver(worldRank(), plan.operation(), key.label(), missing));
        }
    }

    @Override
    public void stopped(Failure cause) {
        plan.assembler().traits().backends().compositeFailed(composite.group(), composite.key(), cause);
        failure = switches.withOwn(cause);
        body.cancel();
        if (isFirstEnd()) {
            oneEnded();
        }
    }

    @Override
    public void ended(@Nullable Failure cause) {
        failure = cause == null ? null : switches.withOwn(cause);
        if (keepsUntilTold() && awaited.get() == 1) {
            ends();
        } else {
            giveBack();
        }
        tellObservers();
        tellBody();
        oneEnded();
    }

    /** Ends the making of calls. {@return the end of the calls that were made} */
    Mono<Void> over() {
        return Mono.defer(() -> {
            leave();
            return end();
        });
    }

    /** {@return the end of the run and of all calls in it, also of those that were subscribed to after its end and are refused} */
    Mono<Void> callsEnded() {
        return end().then(Mono.create(ended -> driver.mark(ended::success)));
    }

    /** {@return the end of the run and of all calls in it} */
    synchronized Mono<Void> end() {
        if (hasEnded) {
            return Mono.empty();
        }
        if (end == null) {
            end = Sinks.empty();
        }
        return end.asMono();
    }

    private void tellOfBeginning() {
        CallPlace place = plan.assembler().place();
        ContextView context = Borrowing.context(subscriber());
        if (place.isObserved(plan.options(), context)) {
            CallKey.Ticket key = composite.key();
            Observation.What what = Observation.What.composite(plan.operation());
            Observation begun = place.observation(
                            key, key.ordinal(), what, false, driver.loop().nanoTime())
                    .from(site, driver.worldSize())
                    .heardBy(plan.options().observers(), ContextObservers.in(context));
            observation = begun;
            begun.subscribed(context);
        }
    }

    private void tellObservers() {
        if (observation != null) {
            observation.ended(error());
        }
    }

    private void tellBody() {
        Sinks.Empty<Void> asked;
        synchronized (this) {
            hasEnded = true;
            asked = end;
        }
        if (asked != null) {
            asked.tryEmitEmpty();
        }
    }

    /** The body makes no further call. */
    void leave() {
        if (isBodyOver.compareAndSet(false, true)) {
            partEnds();
        }
    }

    @Override
    public void assembled(StreamPlace stream) {}

    @Override
    public void begins(StreamPlace stream, boolean isFirst) {
        goingOn.incrementAndGet();
    }

    @Override
    public void ends(StreamPlace stream) {
        partEnds();
    }

    private void partEnds() {
        if (goingOn.decrementAndGet() == 0) {
            driver.left(composite, null);
        }
    }

    /**
     * Requires that a group's members all belong to this run's.
     *
     * @throws IllegalArgumentException if they do not
     */
    void requireMembers(ProcessGroup group) {
        for (int rank : group.ranks()) {
            if (!composite.group().worldRanks().contains(rank)) {
                throw new IllegalArgumentException(
                        "a group has members that are not in the composite call's: rank=" + rank + ", call="
                                + composite.key().label() + ", ranks="
                                + composite.group().worldRanks()
                                + "; call through views of its group, or of groups of some of its members");
            }
        }
    }
}

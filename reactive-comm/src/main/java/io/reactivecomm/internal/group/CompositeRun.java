package io.reactivecomm.internal.group;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.Failures;
import io.reactivecomm.internal.stream.StreamPlace;
import io.reactivecomm.internal.stream.StreamWatch;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * One subscription of a composite call: runs the body, tells the engine of its beginning and end, and the subscriber of what became of it.
 *
 * <pre>
 *   subscribe ──&gt; engine: begin ──&gt; body ── value, error, cancel ──&gt; engine: left, failed ── all calls ended ──&gt; subscriber
 *                                    ↑ cancelled where the run fails elsewhere
 * </pre>
 *
 * <p><b>Threads.</b> {@link #left}, {@link #stopped} and {@link #ended} on the loop; the rest any.
 */
final class CompositeRun extends BorrowedTensors implements Composite.Sink, StreamWatch {

    private final CompositePlan plan;
    private final RankDriver driver;
    private final Composite composite;
    /** By group: views of one group count their calls together. */
    private final Map<Long, Assembler> assemblers = new ConcurrentHashMap<>();

    /** The body, as long as it is not over, and the streams in it, whose ends still talk to each other after that. */
    private final AtomicInteger goingOn = new AtomicInteger(1);

    private final AtomicBoolean hasBegun = new AtomicBoolean();
    private volatile boolean isOnItsWay;
    private volatile boolean isCancelled;
    private final AtomicBoolean isBodyOver = new AtomicBoolean();
    private final Sinks.Empty<Void> allOver = Sinks.empty();
    private final Sinks.Empty<Void> stop = Sinks.empty();
    private final Sinks.Empty<Void> end = Sinks.empty();
    /** What the body failed with here. */
    private volatile @Nullable Throwable own;
    /** Why the run failed, wherever that was. */
    private volatile @Nullable Failure failure;

    CompositeRun(CompositePlan plan, CallKey.Ticket key) {
        super(true);
        this.plan = plan;
        this.driver = plan.assembler().driver();
        long timeoutNanos = plan.hasDeadline() ? CallPlace.nanos(plan.options().deadline()) : Composite.NO_DEADLINE;
        this.composite = new Composite(
                plan.assembler().group(),
                key,
                plan.assembler().composite(),
                plan.operation(),
                driver.loop().nanoTime(),
                timeoutNanos,
                this);
    }

    Composite composite() {
        return composite;
    }

    /** {@return what makes the calls of a group that are part of this run} */
    Assembler assembler(Assembler group) {
        return assemblers.computeIfAbsent(group.group().id(), ignored -> group.within(composite, this));
    }

    /** {@return the assembler of the composite's own group} */
    Assembler assembler() {
        return assembler(plan.assembler());
    }

    /** {@return the options of the calls that the body makes} */
    CallOptions options() {
        return plan.options().withName("");
    }

    <T> Mono<T> mono(Function<CompositeRun, ? extends Mono<T>> body, Consumer<? super T> discard) {
        // Not doOnError, which would keep a fatal error from whoever comes behind.
        return Mono.defer(() -> isToRun() ? BodyThread.<Mono<T>>call(composite, () -> given(body.apply(this))) : Mono.<T>never())
                .takeUntilOther(stop.asMono())
                .onErrorResume(error -> {
                    fail(error);
                    return Mono.empty();
                })
                .map(Result::new)
                .defaultIfEmpty(new Result<>(null))
                .flatMap(result -> over().then(Mono.defer(() -> outcome(result, discard))));
    }

    private <P> P given(@Nullable P publisher) {
        if (publisher == null) {
            throw new InvalidCallException(plan.operation() + " got no publisher from its body: publisher=null; return a Mono or a Flux");
        }
        return publisher;
    }

    /** A body's value, or none. */
    private record Result<T>(@Nullable T value) {}

    private <T> Mono<T> outcome(Result<T> result, Consumer<? super T> discard) {
        Throwable error = error();
        if (error == null) {
            return Mono.justOrEmpty(result.value);
        }
        if (result.value != null) {
            discard.accept(result.value);
        }
        return Mono.error(error);
    }

    private @Nullable Throwable error() {
        Failure cause = failure;
        return cause == null || own != null ? own : cause.toException();
    }

    <T> Flux<T> flux(Function<CompositeRun, ? extends Publisher<T>> body) {
        return Flux.defer(() -> isToRun() ? Flux.<T>from(BodyThread.call(composite, () -> given(body.apply(this)))) : Flux.<T>never())
                .takeUntilOther(stop.asMono())
                .onErrorResume(error -> {
                    fail(error);
                    return Flux.empty();
                })
                .concatWith(over().thenMany(Flux.defer(this::tail)))
                .doOnCancel(this::cancelled);
    }

    private <T> Flux<T> tail() {
        Throwable error = error();
        return error == null ? Flux.empty() : Flux.error(error);
    }

    /** Who cancels as it is given its subscription has begun the run all the same: other ranks count on it. */
    private void cancelled() {
        isCancelled = true;
        begin();
        leaveIfCancelled();
    }

    /** Never before the run is on its way to the engine. */
    private void leaveIfCancelled() {
        if (isCancelled && isOnItsWay) {
            driver.left(composite, Failures.compositeCancelled(worldRank(), plan.operation(), composite.key().label()));
        }
    }

    /** {@return whether the body is to run: it has its tensors, and no other rank has failed before} */
    private boolean isToRun() {
        try {
            borrow(plan.borrows(), plan.operation());
        } catch (InvalidCallException e) {
            refuseOnce(e);
        }
        begin();
        return own == null && driver.whyFailed(composite.key()) == null;
    }

    /** Once, and before anything else is said of it. */
    private void begin() {
        if (hasBegun.compareAndSet(false, true)) {
            try {
                CallKey.Ticket key = composite.key();
                plan.assembler().place().counts().subscribed(key.name(), key.ticket(), key.ordinal(), this);
            } catch (InvalidCallException e) {
                refuse(e);
                return;
            }
            driver.begin(composite);
            isOnItsWay = true;
            leaveIfCancelled();
        }
    }

    private void refuseOnce(InvalidCallException error) {
        if (hasBegun.compareAndSet(false, true)) {
            refuse(error);
        }
    }

    private void refuse(InvalidCallException error) {
        own = error;
        driver.refuse(composite, failure(error));
    }

    private void fail(Throwable error) {
        own = error;
        driver.failed(composite, failure(error));
    }

    /** Something was thrown past the body. */
    void died(Throwable error) {
        driver.failed(composite, failure(error));
    }

    private Failure failure(Throwable error) {
        CommException cause = error instanceof CommException known
                ? known
                : new InvalidCallException(plan.operation() + " failed: cause=" + error + "; look at that rank's own output", error);
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
        if (cause != null) {
            others.compositeOver(composite.group(), key, cause);
        } else {
            others.compositeOver(composite.group(), key, Failures.compositeOver(worldRank(), plan.operation(), key.label()));
        }
    }

    @Override
    public void stopped(Failure cause) {
        plan.assembler().traits().backends().compositeFailed(composite.group(), composite.key(), cause);
        failure = cause;
        stop.tryEmitEmpty();
    }

    @Override
    public void ended(@Nullable Failure cause) {
        failure = cause;
        giveBack();
        end.tryEmitEmpty();
    }

    /** The body makes no further call. {@return the end of those that were made} */
    Mono<Void> over() {
        return Mono.defer(() -> {
            if (isBodyOver.compareAndSet(false, true)) {
                partEnds();
            }
            return Mono.firstWithSignal(allOver.asMono(), stop.asMono()).then(Mono.defer(() -> {
                driver.left(composite, null);
                return end.asMono();
            }));
        });
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
            allOver.tryEmitEmpty();
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
                throw new IllegalArgumentException("a group has members that are not in the composite call's: rank=" + rank + ", call="
                        + composite.key().label() + ", ranks=" + composite.group().worldRanks()
                        + "; call through views of its group, or of groups of some of its members");
            }
        }
    }
}

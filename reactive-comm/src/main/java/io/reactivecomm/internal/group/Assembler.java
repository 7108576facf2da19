package io.reactivecomm.internal.group;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.driver.GroupEnd;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.EngineCall;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.internal.stream.StreamWatch;
import io.reactivecomm.internal.stream.TensorStreams;
import io.reactivecomm.internal.transfer.MemoryFaults;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Makes calls of one group: counts their tickets, and at each subscription borrows the tensors and finds the schedule.
 *
 * <p><b>Threads.</b> Any.
 */
final class Assembler {

    private static final Logger LOG = LoggerFactory.getLogger(Assembler.class);

    /** Longer than any job runs, and far from the overflow of a clock in nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(10_000);

    private final RankDriver driver;
    private final GroupState group;
    private final GroupTraits traits;
    private final GroupEnd end;
    /** The run of a composite call that its calls are part of, or null. */
    private final @Nullable Composite composite;

    private final GroupSteps steps;
    /** The step that its calls are counted in, or null. */
    private final @Nullable GroupStep step;
    /** Whether its calls are those of streams, which go on after their step. */
    private final boolean isOfStream;

    private final TensorStreams streams;
    private final AtomicBoolean hasWarned = new AtomicBoolean();
    private final Map<String, AtomicLong> tickets;

    /** One for the calls of a group that are in no step and no composite call. */
    Assembler(RankDriver driver, GroupState group, GroupTraits traits) {
        this.driver = driver;
        this.group = group;
        this.traits = traits;
        this.end = new GroupEnd();
        this.composite = null;
        this.step = null;
        this.isOfStream = false;
        this.steps = new GroupSteps(group, this::inStep, this::stepped);
        this.tickets = steps.outside();
        this.streams = new TensorStreams(driver.answers(), StreamWatch.NONE, this::refused);
        group.assembledBy(steps);
    }

    /** One whose calls are counted apart. */
    private Assembler(Assembler other, @Nullable Composite composite, @Nullable GroupStep step, Map<String, AtomicLong> tickets, StreamWatch watch) {
        this.driver = other.driver;
        this.group = other.group;
        this.traits = other.traits;
        this.end = other.end;
        this.composite = composite;
        this.step = step;
        this.isOfStream = false;
        this.steps = other.steps;
        this.tickets = tickets;
        this.streams = new TensorStreams(driver.answers(), watch, this::refused);
    }

    /** One for the calls of streams. */
    private Assembler(Assembler other) {
        this.driver = other.driver;
        this.group = other.group;
        this.traits = other.traits;
        this.end = other.end;
        this.composite = other.composite;
        this.step = other.step;
        this.isOfStream = true;
        this.steps = other.steps;
        this.tickets = other.tickets;
        this.streams = other.streams;
    }

    /** {@return one for the same group whose calls are part of that run, and are counted in it} */
    Assembler within(Composite enclosing, StreamWatch watch) {
        return new Assembler(this, enclosing, null, new ConcurrentHashMap<>(), watch);
    }

    private Assembler inStep(GroupStep begun) {
        return new Assembler(this, null, begun, begun.tickets(), begun);
    }

    /**
     * {@return one for the same group whose calls are counted in that step}
     *
     * @throws InvalidCallException if a later one has begun
     */
    Assembler step(long number) {
        return steps.step(number).assembler();
    }

    private void stepped() {
        driver.stepped(group);
        traits.backends().stepped(group);
    }

    /** {@return one for what a stream that is assembled now makes, however long it goes on} */
    Assembler ofStream() {
        requireOpen();
        if (step != null) {
            step.assembledStream();
        }
        return new Assembler(this);
    }

    private void requireOpen() {
        if (step != null && !isOfStream) {
            steps.requireOpen(step);
        }
    }

    /**
     * Requires that what was assembled may still be subscribed to.
     *
     * @throws InvalidCallException if it belongs to a step that is no longer kept
     */
    void requireKept() {
        if (step != null && !isOfStream) {
            steps.requireKept(step);
        }
    }

    private long stepNumber() {
        return step == null ? CallKey.NO_STEP : step.number();
    }

    /** {@return the run that its calls are part of, or null} */
    @Nullable Composite composite() {
        return composite;
    }

    TensorStreams streams() {
        return streams;
    }

    /** {@return one for a group that was made of this one} */
    Assembler of(GroupState child) {
        return new Assembler(driver, child, traits).watched();
    }

    /** Begins to listen for the group's end. {@return this} */
    Assembler watched() {
        driver.watch(group, cause -> traits.backends().fail(group, cause), end);
        return this;
    }

    GroupEnd end() {
        return end;
    }

    GroupState group() {
        return group;
    }

    GroupTraits traits() {
        return traits;
    }

    RankDriver driver() {
        return driver;
    }

    /**
     * {@return the first of so many tickets that are now taken}
     *
     * @throws InvalidCallException if they would be those of a step that is over
     */
    long take(String name, int count) {
        warnOfStray();
        requireOpen();
        return tickets.computeIfAbsent(name, ignored -> new AtomicLong()).getAndAdd(count);
    }

    /** A body that calls through its composite's group, and not through its view of it, makes calls that are no part of the composite. */
    private void warnOfStray() {
        Composite running = BodyThread.running();
        if (running != null && composite == null && running.group() == group && !hasWarned.getAndSet(true)) {
            LOG.warn("a call was assembled on the group of a composite call from inside its body, and is no part of it: composite={}, rank={}; "
                    + "call through the view that the body is given", running.key().label(), group.rank());
        }
    }

    /** {@return a collective that is assembled now} */
    Assembly collective(CallOptions options, Checked checked) {
        long ticket = take(options.name(), 1);
        String site = site(options);
        Collective call = checked.collective();
        return (ordinal, sink) -> call != null && traits.switches().isOff(call)
                ? nothing(call, ticket, sink)
                : begin(options, checked, ticket, ordinal, site, null, sink);
    }

    private Runnable nothing(Collective call, long sequence, Borrowing sink) {
        Work nothing = Switches.nothing(call, sequence);
        return () -> driver.endUnbegun(group, sink, each -> each.succeeded(nothing));
    }

    /** {@return a call of which nobody else is to know, since it could not be made; that its group has ended comes first here too} */
    Mono<Work> refused(CommException error) {
        Failure failure = failure(error, "");
        return new CallMono(driver, composite, (ignored, sink) -> () -> driver.endUnbegun(group, sink, each -> each.failed(failure)));
    }

    /** {@return a message to a rank, assembled now} */
    Assembly send(int peer, int tag, CallOptions options, Checked checked) {
        return message(new Submission.Address.To(stepNumber(), options.name(), tag, peer), options, checked);
    }

    /** {@return a receive from a rank or any, assembled now} */
    Assembly receive(int peer, int tag, CallOptions options, Checked checked) {
        return message(new Submission.Address.From(stepNumber(), options.name(), tag, peer), options, checked);
    }

    /** Its two ends are two places of the program, which are not compared. */
    private Assembly message(Submission.Address address, CallOptions options, Checked checked) {
        warnOfStray();
        requireOpen();
        if (step != null) {
            step.assembled(address);
        }
        Collective call = checked.collective();
        return (ordinal, sink) -> {
            if (call != null && traits.backends().isElsewhere(call)) {
                return elsewhere(call, options, EngineCall.NO_TICKET, ordinal, sink);
            }
            Submission submission = submission(address, body(checked, null, options, sink), options, CallSite.NONE, null, sink);
            return () -> submit(submission, ordinal);
        };
    }

    private void submit(Submission message, int ordinal) {
        driver.submit(message);
        if (step != null && ordinal == 1) {
            // Behind the message, so that no peer hears that it will not come.
            driver.begunInStep(group, () -> begun(step, message.address()));
        }
    }

    /** {@return whether peers are to be answered that wait for more} */
    private static boolean begun(GroupStep step, Submission.Address message) {
        step.begun(message);
        return step.state() != GroupStep.State.OPEN;
    }

    /**
     * {@return one subscription of one call}
     *
     * @param forms the group that this rank is a member of if the call succeeds, or null
     */
    Mono<Work> once(CallOptions options, Checked checked, long ticket, int ordinal, String site, @Nullable GroupState forms) {
        return new CallMono(driver, composite, (ignored, sink) -> begin(options, checked, ticket, ordinal, site, forms, sink));
    }

    private Runnable begin(
            CallOptions options, Checked checked, long ticket, int ordinal, String site, @Nullable GroupState forms, Borrowing sink) {
        Collective call = checked.collective();
        if (call != null && traits.backends().isElsewhere(call)) {
            return elsewhere(call, options, ticket, ordinal, sink);
        }
        CallKey.Ticket key = key(options, ticket, ordinal);
        Submission.Body body = body(checked, key, options, sink);
        if (body instanceof Submission.Body.Invalid invalid) {
            traits.backends().refused(group, key, invalid.failure());
        }
        Submission submission = submission(new Submission.Address.Collectively(key), body, options, site, forms, sink);
        return () -> driver.submit(submission);
    }

    private Submission submission(
            Submission.Address address, Submission.Body body, CallOptions options, String site, @Nullable GroupState forms, Borrowing sink) {
        long now = driver.loop().nanoTime();
        long timeoutNanos = nanos(options.deadline());
        long left = composite == null ? timeoutNanos : Math.min(timeoutNanos, composite.leftNanos(now));
        return new Submission(group, composite, address, body, now, left, options.priority(), site, forms, sink);
    }

    private Runnable elsewhere(Collective call, CallOptions options, long ticket, int ordinal, Borrowing sink) {
        Backends.Choice choice = traits.backends().choose(call);
        try {
            requireKept();
            borrow(call, sink);
        } catch (InvalidCallException e) {
            CallKey.Ticket key = key(options, ticket, ordinal);
            Failure failure = failure(e, key.label());
            if (ticket != EngineCall.NO_TICKET) {
                traits.backends().refused(group, key, failure);
            }
            return () -> driver.endUnbegun(group, sink, each -> each.failed(failure));
        }
        Enclosure enclosure = composite == null ? null : composite.enclosure();
        EngineCall engineCall =
                new EngineCall(group.forEngines(), stepNumber(), options.name(), ticket, ordinal, enclosure, call, left(options), options.priority());
        return () -> new ForeignCall(driver, choice, composite, engineCall, sink).begin(group);
    }

    /** {@return the time that a call has from now on: its own, or what is left of its composite's} */
    private Duration left(CallOptions options) {
        if (composite == null) {
            return options.deadline();
        }
        return Duration.ofNanos(Math.min(nanos(options.deadline()), composite.leftNanos(driver.loop().nanoTime())));
    }

    CallKey.Ticket key(CallOptions options, long ticket, int ordinal) {
        Enclosure enclosure = composite == null ? null : composite.enclosure();
        return new CallKey.Ticket(group.generation(), group.id(), stepNumber(), options.name(), ticket, ordinal, enclosure);
    }

    /** Here and nowhere else it is decided whether a subscription is one of a call or of a refusal. */
    private Submission.Body body(Checked checked, CallKey.@Nullable Ticket key, CallOptions options, Borrowing sink) {
        try {
            Collective collective = checked.require();
            requireKept();
            traits.backends().requireLinks(collective);
            borrow(collective, sink);
            return key == null ? Submission.Body.Valid.message(collective) : scheduled(collective, options);
        } catch (CommException e) {
            return new Submission.Body.Invalid(failure(e, key == null ? "" : key.label()));
        }
    }

    private Submission.Body scheduled(Collective collective, CallOptions options) {
        if (collective instanceof Coalesced scope) {
            boolean isOneKind = scope.fused().size() == 1;
            return Submission.Body.Valid.coalesced(
                    scope, group.size(), each -> traits.plans().coalesced(each, isOneKind, group.rank(), group.size()));
        }
        Plans.Plan plan = traits.plans().plan(collective, group.rank(), group.size(), options.algorithm());
        return new Submission.Body.Valid(collective, plan.signature(), plan.schedule(), group.size());
    }

    private void borrow(Collective collective, Borrowing sink) {
        Tensor closed = sink.borrow(collective.tensors());
        if (closed != null) {
            throw new InvalidCallException(collective.label() + " cannot borrow its tensor, which is closed: tensor=" + closed
                    + "; keep a tensor open until the call has ended");
        }
        List<Tensor> tensors = collective.tensors();
        for (int i = 0; i < tensors.size(); i++) {
            String why = MemoryFaults.whyOutOfReach(tensors.get(i), driver.loop().thread());
            if (why != null) {
                throw new InvalidCallException(collective.label() + " cannot use its tensor: " + why + MemoryFaults.REMEDY);
            }
        }
    }

    Failure failure(CommException error, String label) {
        int rank = group.worldRanks().get(group.rank());
        String place = " (rank=" + rank + (label.isEmpty() ? "" : ", call=" + label) + ")";
        return Failure.of(error, rank).withText(error.getMessage() + place);
    }

    /** {@return the deadline in nanoseconds, cut to what can be added to a clock's reading} */
    static long nanos(Duration deadline) {
        return deadline.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : deadline.toNanos();
    }

    String site(CallOptions options) {
        if (!traits.callSites()) {
            return CallSite.NONE;
        }
        return options.site().isEmpty() ? CallSite.here() : options.site();
    }
}

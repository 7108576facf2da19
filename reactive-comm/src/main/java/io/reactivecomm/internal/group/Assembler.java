package io.reactivecomm.internal.group;

import io.reactivecomm.CommException;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.engine.GroupEnd;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.RankDriver;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.EngineCall;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.internal.stream.ResultMono;
import io.reactivecomm.internal.transfer.MemoryFaults;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * Makes calls of one group: counts their tickets, and at each subscription borrows the tensors and finds the schedule.
 *
 * <p><b>Threads.</b> Any.
 */
final class Assembler {

    /** Longer than any job runs, and far from the overflow of a clock in nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(10_000);

    private final RankDriver driver;
    private final GroupState group;
    private final GroupTraits traits;
    private final GroupEnd end = new GroupEnd();
    private final Map<String, AtomicLong> tickets = new ConcurrentHashMap<>();

    Assembler(RankDriver driver, GroupState group, GroupTraits traits) {
        this.driver = driver;
        this.group = group;
        this.traits = traits;
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

    /** {@return the first of so many tickets that are now taken} */
    private long take(String name, int count) {
        return tickets.computeIfAbsent(name, ignored -> new AtomicLong()).getAndAdd(count);
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
        return new CallMono(driver, (ignored, sink) -> () -> driver.endUnbegun(group, sink, each -> each.failed(failure)));
    }

    /** {@return a message that is assembled now; its two ends are two places of the program, which are not compared} */
    Assembly message(Submission.Address address, CallOptions options, Checked checked) {
        Collective call = checked.collective();
        return (ordinal, sink) -> {
            if (call != null && traits.backends().isElsewhere(call)) {
                return elsewhere(call, options, EngineCall.NO_TICKET, ordinal, sink);
            }
            Submission submission = submission(address, body(checked, null, options, sink), options, CallSite.NONE, null, sink);
            return () -> driver.submit(submission);
        };
    }

    /**
     * {@return an operation of several calls, whose tickets are taken now}
     * Each subscription runs it to its end, whoever listens; a result that comes after its subscriber has cancelled is closed.
     */
    <T> Mono<T> converse(CallOptions options, String operation, int steps, Function<? super GroupConversation, Mono<T>> talk) {
        long first = take(options.name(), steps);
        String site = site(options);
        AtomicInteger ordinals = new AtomicInteger();
        return new ResultMono<>(driver.answers(), Assembler::closeLate, result -> {
            GroupConversation each = new GroupConversation(this, options, operation, first, steps, ordinals.incrementAndGet(), site);
            // The caller's hooks for what is discarded must not free what the calls still need.
            each.run(talk).contextWrite(theirs -> Context.empty()).subscribe(result);
        });
    }

    private static void closeLate(Object result) {
        switch (result) {
            case ProcessGroup group -> group.close();
            case GroupMesh mesh -> mesh.close();
            case SparseTensor tensor -> tensor.close();
            default -> {}
        }
    }

    /**
     * {@return one subscription of one call}
     *
     * @param forms the group that this rank is a member of if the call succeeds, or null
     */
    Mono<Work> once(CallOptions options, Checked checked, long ticket, int ordinal, String site, @Nullable GroupState forms) {
        return new CallMono(driver, (ignored, sink) -> begin(options, checked, ticket, ordinal, site, forms, sink));
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
        return new Submission(group, address, body, now, nanos(options.deadline()), options.priority(), site, forms, sink);
    }

    private Runnable elsewhere(Collective call, CallOptions options, long ticket, int ordinal, Borrowing sink) {
        Backends.Choice choice = traits.backends().choose(call);
        try {
            borrow(call, sink);
        } catch (InvalidCallException e) {
            CallKey.Ticket key = key(options, ticket, ordinal);
            Failure failure = failure(e, key.label());
            if (ticket != EngineCall.NO_TICKET) {
                traits.backends().refused(group, key, failure);
            }
            return () -> driver.endUnbegun(group, sink, each -> each.failed(failure));
        }
        EngineCall engineCall = new EngineCall(group.forEngines(), options.name(), ticket, ordinal, call, options.deadline(), options.priority());
        return () -> new ForeignCall(driver, choice.name(), engineCall, sink).begin(choice.engine(), group);
    }

    CallKey.Ticket key(CallOptions options, long ticket, int ordinal) {
        return new CallKey.Ticket(group.generation(), group.id(), options.name(), ticket, ordinal);
    }

    /** Here and nowhere else it is decided whether a subscription is one of a call or of a refusal. */
    private Submission.Body body(Checked checked, CallKey.@Nullable Ticket key, CallOptions options, Borrowing sink) {
        try {
            Collective collective = checked.require();
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
    private static long nanos(Duration deadline) {
        return deadline.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : deadline.toNanos();
    }

    private String site(CallOptions options) {
        if (!traits.callSites()) {
            return CallSite.NONE;
        }
        return options.site().isEmpty() ? CallSite.here() : options.site();
    }
}

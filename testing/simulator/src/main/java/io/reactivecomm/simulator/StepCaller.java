package io.reactivecomm.simulator;

import io.reactivecomm.Bits;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.group.CallSubscription;
import io.reactivecomm.internal.group.GroupStep;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.simulator.StepPlan.Kind;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** One rank's part of a call in a step: assembled in it, and subscribed to then or later, or never. */
final class StepCaller implements CallSink, Composite.Sink {

    /** Long enough for others to be many steps behind; one that nobody sends to has to wait for it. */
    private static final long FROM_ANY_NANOS = 80_000_000;

    private final StepPlan.Made made;
    private final StepPlan.Part part;
    private final StepRank program;
    private final GroupStep step;
    private final String name;
    private final long ticket;
    private final CheckedSubscriber audience = new CheckedSubscriber();
    private final CallSubscription subscription;
    private ScribbledMemory.@Nullable Region memory;
    private boolean subscribed;
    private boolean refused;
    private boolean stopped;
    private boolean ended;
    private @Nullable Failure failure;
    private long value;

    /** Assembles the call. */
    StepCaller(StepPlan.Made made, StepPlan.Part part, StepRank program, GroupStep step) {
        this.made = made;
        this.part = part;
        this.program = program;
        this.step = step;
        this.name = part.kind() == Kind.COMPOSITE ? "run" : "w";
        this.subscription = new CallSubscription(audience, program.rank()::execute);
        if (isMessage()) {
            step.assembled(address());
            this.ticket = 0;
        } else {
            this.ticket = step.take(name);
        }
    }

    private boolean isMessage() {
        return part.kind() != Kind.COLLECTIVE && part.kind() != Kind.COMPOSITE;
    }

    StepPlan.Made made() {
        return made;
    }

    StepPlan.Part part() {
        return part;
    }

    StepRank program() {
        return program;
    }

    CallKey.Ticket key() {
        return new CallKey.Ticket(0, program.group().id(), step.step(), name, ticket, 1, null);
    }

    private Submission.Address address() {
        return switch (part.kind()) {
            case SEND -> new Submission.Address.To(step.step(), name, made.tag(), part.peer());
            case RECEIVE -> new Submission.Address.From(step.step(), name, made.tag(), part.peer());
            case RECEIVE_FROM_ANY -> new Submission.Address.From(step.step(), name, made.tag(), ProcessGroup.ANY);
            case COLLECTIVE, COMPOSITE -> new Submission.Address.Collectively(key());
        };
    }

    /** {@return whether it was subscribed to in time} */
    boolean isMade() {
        return subscribed && !refused;
    }

    boolean isRefused() {
        return refused;
    }

    /** {@return whether it was subscribed to and has not ended} */
    boolean isUnfinished() {
        return subscribed && !ended;
    }

    @Nullable Failure failure() {
        return failure;
    }

    boolean hasSucceeded() {
        return ended && failure == null;
    }

    /** {@return the message that it has sent, or got} */
    long value() {
        return value;
    }

    /** @param message what it sends, if it does */
    void subscribe(long message) {
        subscribed = true;
        value = message;
        audience.asks();
        subscription.request(1);
        try {
            if (isMessage()) {
                step.subscribed(address(), 1, subscription);
            } else {
                step.subscribed(name, ticket, 1, subscription);
            }
        } catch (InvalidCallException e) {
            refused = true;
            failure = new Failure(Failure.Kind.INVALID, program.rank().rank(), String.valueOf(e.getMessage()));
        }
        if (part.kind() == Kind.COMPOSITE) {
            program.ask(this::begin);
        } else {
            program.ask(
                    () -> submit(null, address(), failure == null ? valid() : new Submission.Body.Invalid(failure)));
        }
    }

    private Submission.Body valid() {
        Collective call = switch (part.kind()) {
            case COLLECTIVE, COMPOSITE -> new Barrier();
            case SEND -> new Send(tensor(), part.peer(), made.tag());
            case RECEIVE -> new Receive(tensor(), part.peer(), made.tag());
            case RECEIVE_FROM_ANY -> new Receive(tensor(), ProcessGroup.ANY, made.tag());
        };
        int size = program.group().size();
        Layout layout = Layout.apart(size);
        Place place = Place.of(call, program.group().rank(), layout);
        return isMessage()
                ? Submission.Body.Valid.message(call)
                : new Submission.Body.Valid(
                        call,
                        program.selection()
                                .algorithm(call.signature(), layout, Bits.RANK_ORDER)
                                .schedule(place),
                        size);
    }

    private Tensor tensor() {
        ScribbledMemory.Region region = program.network().memory().allocate(Long.BYTES, 0, this);
        region.memory().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, part.kind() == Kind.SEND ? value : -1);
        memory = region;
        return Tensor.wrap(region.memory(), DType.INT64, 1);
    }

    private void submit(@Nullable Composite within, Submission.Address address, Submission.Body body) {
        long now = program.network().agenda().now();
        long timeoutNanos = part.kind() == Kind.RECEIVE_FROM_ANY ? FROM_ANY_NANOS : PlanDraw.PATIENT_NANOS;
        program.rank()
                .engine()
                .submit(
                        new Submission(program.group(), within, address, body, now, timeoutNanos, 0, "", null, this),
                        now);
    }

    /** The composite has one call inside. */
    private void begin() {
        long now = program.network().agenda().now();
        Composite run = new Composite(program.group(), key(), null, "step", now, PlanDraw.PATIENT_NANOS, this);
        if (failure != null) {
            program.rank().engine().refuse(run, failure, now);
            return;
        }
        program.rank().engine().begin(run, now);
        CallKey.Ticket inner = new CallKey.Ticket(0, program.group().id(), "", 0, 1, run.enclosure());
        program.ask(() -> {
            if (!stopped) {
                submit(run, new Submission.Address.Collectively(inner), valid());
            }
        });
        program.ask(() -> program.rank()
                .engine()
                .left(run, null, program.network().agenda().now()));
    }

    @Override
    public void succeeded(Work work) {
        if (part.kind() != Kind.COMPOSITE) {
            ScribbledMemory.Region lent = memory;
            value = lent == null ? 0 : lent.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
            end(null);
            subscription.succeeded(work);
        }
    }

    @Override
    public void failed(Failure cause) {
        if (part.kind() != Kind.COMPOSITE) {
            end(cause);
            subscription.failed(cause);
        }
    }

    @Override
    public void left(@Nullable Failure cause) {}

    @Override
    public void stopped(Failure cause) {
        stopped = true;
    }

    @Override
    public void ended(@Nullable Failure cause) {
        end(cause);
        subscription.failed(new Failure(Failure.Kind.INTERNAL, 0, "the composite has ended"));
    }

    private void end(@Nullable Failure cause) {
        program.network().agenda().tell(program.rank().rank(), () -> "ended: " + this + ", failure=" + cause);
        if (ended) {
            throw new Violation("a call of a step ended twice: " + this);
        }
        ended = true;
        failure = cause;
        audience.mayHear();
        ScribbledMemory.Region lent = memory;
        if (lent != null) {
            program.network().memory().release(lent);
        }
    }

    @Override
    public String toString() {
        return "rank " + program.rank().rank() + " in " + part.kind() + " " + key().label() + " " + part + ", tag="
                + made.tag();
    }
}

package io.reactivecomm.testkit.sim;

import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Operation;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.engine.CallSink;
import io.reactivecomm.engine.CallSubscription;
import io.reactivecomm.engine.GroupState;
import io.reactivecomm.engine.Submission;
import io.reactivecomm.schedule.Place;
import io.reactivecomm.schedule.Schedule;
import io.reactivecomm.schedule.Selection;
import io.reactivecomm.spi.Failure;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The caller behind one {@link Part}: makes the tensors, submits the call the way the group does, and takes its end. In between stands the
 * library's own subscription, whose {@link Audience} is checked too.
 */
final class Caller implements CallSink {

    /** {@link #endedAt()} of a call that has not ended, and {@link #submittedAt()} of one that has not begun. */
    static final long NOT_YET = -1;

    private final Plan plan;
    private final Part part;
    private final VirtualRank rank;
    private final Judge judge;
    private final Audience audience = new Audience();
    private final CallSubscription subscription;
    private @Nullable TensorPair tensors;
    private @Nullable Failure failure;
    private @Nullable Work work;
    private int sequence;
    private int received = -1;
    private long submittedAt = NOT_YET;
    private long endedAt = NOT_YET;

    Caller(Plan plan, Part part, VirtualRank rank, Judge judge) {
        this.subscription = new CallSubscription(audience, rank::execute);
        this.plan = plan;
        this.part = part;
        this.rank = rank;
        this.judge = judge;
    }

    Plan plan() {
        return plan;
    }

    Part part() {
        return part;
    }

    VirtualRank rank() {
        return rank;
    }

    long submittedAt() {
        return submittedAt;
    }

    long endedAt() {
        return endedAt;
    }

    @Nullable Failure failure() {
        return failure;
    }

    @Nullable Work work() {
        return work;
    }

    Audience audience() {
        return audience;
    }

    CallSubscription subscription() {
        return subscription;
    }

    /** {@return the place of a send among its source's in the flow, or of a receive among those posted, from 0} */
    int sequence() {
        return sequence;
    }

    /** {@return for a receive from any, which message of the source it took; −1 before} */
    int received() {
        return received;
    }

    void received(int turn) {
        received = turn;
    }

    /** {@return whether the call reads its input and writes elsewhere or not at all} */
    boolean onlyReadsInput() {
        TensorPair made = tensors;
        Shape shape = part.shape();
        boolean isRoot = part.groupRank() == shape.root();
        return switch (shape.operation()) {
            case ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER -> made != null && made.isApart();
            case REDUCE -> !isRoot;
            case BROADCAST -> isRoot;
            case MESSAGE -> part.role() == Part.Role.SENDER;
            case BARRIER -> false;
        };
    }

    /** {@return the tensors; null if the call failed its checks} */
    @Nullable TensorPair tensors() {
        return tensors;
    }

    /** Subscribes: takes the next place in its flow, fills the tensors and hands the call to the engine. */
    void subscribe(int nextInFlow, Selection selection, Network network) {
        sequence = nextInFlow;
        submittedAt = network.agenda().now();
        network.agenda().tell(rank.rank(), () -> "subscribes to call " + plan.index() + " " + part);
        GroupState group = rank.group(plan.team().id());
        Submission.Body body = part.isInvalid() ? new Submission.Body.Invalid(judge.refusal(this)) : body(selection, network);
        Submission submission = new Submission(group, address(), body, part.timeoutNanos(), "", this);
        rank.event(() -> rank.engine().submit(submission, network.agenda().now()));
    }

    private Submission.Address address() {
        return switch (plan) {
            case Plan.Together together -> new Submission.Address.Collectively(together.key());
            case Plan.Flow flow -> part.role() == Part.Role.SENDER
                    ? new Submission.Address.To(flow.name(), flow.tag(), part.peer())
                    : new Submission.Address.From(flow.name(), flow.tag(), part.peer());
        };
    }

    private Submission.Body body(Selection selection, Network network) {
        int size = plan.team().size();
        TensorPair made = TensorPair.of(this, network);
        tensors = made;
        Collective collective = collective(made).checkedFor(part.groupRank(), size);
        subscription.borrow(collective.tensors());
        Schedule schedule = part.shape().operation() == Operation.MESSAGE
                ? null
                : selection.algorithm(collective.signature(), size)
                        .schedule(new Place(collective.signature().count(), part.groupRank(), size, collective.signature().root()));
        return new Submission.Body.Valid(collective, schedule, memory(collective.input()), memory(collective.output()));
    }

    private Collective collective(TensorPair made) {
        return switch (plan) {
            case Plan.Together ignored -> part.shape().collective(made.input(), made.output());
            case Plan.Flow flow -> part.role() == Part.Role.SENDER
                    ? new Send(made.input(), part.peer(), flow.tag())
                    : new Receive(made.output(), part.peer(), flow.tag());
        };
    }

    private static MemorySegment memory(@Nullable Tensor tensor) {
        return tensor == null ? MemorySegment.NULL : tensor.segment();
    }

    @Override
    public void succeeded(Work result) {
        judge.ends(this);
        endedAt = judge.now();
        work = result;
        judge.succeeded(this, result);
        letGo();
        audience.mayHear();
        subscription.succeeded(result);
    }

    @Override
    public void failed(Failure cause) {
        judge.ends(this);
        endedAt = judge.now();
        failure = cause;
        judge.failed(this, cause);
        letGo();
        audience.mayHear();
        subscription.failed(cause);
    }

    private void letGo() {
        TensorPair made = tensors;
        if (made != null) {
            made.release();
        }
    }

    @Override
    public String toString() {
        return "rank " + rank.rank() + " in call " + plan.index() + " (" + part + ")";
    }
}

package io.reactivecomm.simulator;

import io.reactivecomm.Bits;
import io.reactivecomm.Operation;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.group.CallSubscription;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.choice.Offer;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.stream.ResultSubscription;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.testkit.collective.TensorLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;

/**
 * The caller behind one {@link RankCall}: makes the tensors, submits the call the way the group does, and takes its end. In between stands
 * the library's own subscription, whose {@link CheckedSubscriber} is checked too.
 */
final class Caller implements CallSink {

    /** {@link #endedAt()} of a call that has not ended, and {@link #submittedAt()} of one that has not begun. */
    static final long NOT_YET = -1;

    private final CallPlan plan;
    private final RankCall part;
    private final VirtualRank rank;
    private final Judge judge;
    private final Membership membership;
    /** What makes the call, or null if the program does so by itself. */
    private final @Nullable VirtualBody body;

    private final TensorLayout layout;
    private final CheckedSubscriber audience = new CheckedSubscriber();
    private final CallSubscription subscription;
    /** What the audience asks: the call's subscription, or what stands behind several. */
    private final Subscription front;

    private @Nullable Tensors tensors;
    private @Nullable Collective collective;
    /** What tells of the call, if somebody observes it. */
    private @Nullable Observation observation;

    private @Nullable GroupState forms;
    private @Nullable Failure failure;
    private @Nullable Work work;
    private int sequence;
    private int received = -1;
    private long submittedAt = NOT_YET;
    private long timeoutNanos;
    private boolean taken;
    private long endedAt = NOT_YET;

    /**
     * @param membership what the rank has of the call's group
     * @param body the body that makes it, or null
     */
    Caller(
            CallPlan plan,
            RankCall part,
            VirtualRank rank,
            Judge judge,
            Membership membership,
            @Nullable VirtualBody body) {
        if (part.isBridged()) {
            ResultSubscription<Work> bridge =
                    new ResultSubscription<>(audience, rank::execute, missed -> audience.misses());
            this.subscription = new CallSubscription(bridge, rank::execute);
            this.front = bridge;
            bridge.onSubscribe(subscription);
        } else {
            this.subscription = new CallSubscription(audience, rank::execute);
            this.front = subscription;
        }
        this.plan = plan;
        this.part = part;
        this.rank = rank;
        this.judge = judge;
        this.membership = membership;
        this.body = body;
        this.layout = part.shape().layout(part.groupRank(), plan.team().size());
    }

    CallPlan plan() {
        return plan;
    }

    RankCall part() {
        return part;
    }

    VirtualRank rank() {
        return rank;
    }

    TensorLayout layout() {
        return layout;
    }

    Membership membership() {
        return membership;
    }

    /** {@return the call in the library's words, or an empty text if it failed its checks or was not made} */
    String description() {
        Collective made = collective;
        return made == null ? "" : made.describe();
    }

    /** {@return the group that this call makes, as this rank would know it; null if it makes none or not with this rank} */
    @Nullable GroupState forms() {
        return forms;
    }

    long submittedAt() {
        return submittedAt;
    }

    /** {@return its deadline from then: its own, or what is left of its composite's} */
    long timeoutNanos() {
        return timeoutNanos;
    }

    /** {@return whether the engine has begun it: it had not ended at once, or has succeeded} */
    boolean hasBegun() {
        return taken || work != null;
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

    CheckedSubscriber audience() {
        return audience;
    }

    /** Its subscriber asks. */
    void ask() {
        audience.asks();
        front.request(1);
    }

    /** Its subscriber leaves. */
    void cancel() {
        audience.leaves();
        front.cancel();
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
        Tensors made = tensors;
        Shape shape = part.shape();
        boolean isRoot = part.groupRank() == shape.root();
        boolean apart = made != null && made.isApart();
        return switch (shape.operation()) {
            case ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER -> apart;
            case GATHER, SCATTER -> apart || !isRoot;
            case ALL_TO_ALL -> true;
            case REDUCE -> !isRoot;
            case BROADCAST -> isRoot;
            case MESSAGE -> part.role() == RankCall.Role.SENDER;
            case COALESCED, INFERENCE_ALL_REDUCE, BARRIER, MONITORED_BARRIER, NEW_GROUP -> false;
        };
    }

    /** {@return the tensors; null if the call failed its checks} */
    @Nullable Tensors tensors() {
        return tensors;
    }

    /** Subscribes: takes the next place in its flow, fills the tensors and hands the call to the engine. */
    void subscribe(int nextInFlow, Scenario scenario, VirtualNetwork network) {
        sequence = nextInFlow;
        submittedAt = network.agenda().now();
        network.agenda().tell(rank.rank(), () -> "subscribes to call " + plan.index() + " " + part);
        Composite within = body == null ? null : body.run();
        timeoutNanos =
                within == null ? part.timeoutNanos() : Math.min(part.timeoutNanos(), within.leftNanos(submittedAt));
        Submission.Body asked =
                part.isInvalid() ? new Submission.Body.Invalid(judge.refusal(this)) : valid(scenario, network);
        forms = part.isInvalid() ? null : formed();
        Submission.Address address = address(within);
        observation = CallerObservation.of(membership.group(), address, within, collective, asked, network);
        Submission submission = new Submission(
                membership.group(),
                within,
                address,
                asked,
                submittedAt,
                timeoutNanos,
                part.priority(),
                "",
                forms,
                this);
        rank.event(() -> {
            int before = rank.engine().liveCalls();
            rank.engine().submit(submission, network.agenda().now());
            taken = rank.engine().liveCalls() > before;
        });
    }

    /** A rank that names other members means another group, which has another number. */
    private @Nullable GroupState formed() {
        if (!(plan instanceof CallPlan.Together together) || together.forms() == null) {
            return null;
        }
        SimulatedGroup team = plan.team();
        List<Integer> members = part.shape().lengths().stream()
                .map(member -> team.worldRanks().get(member.intValue()))
                .toList();
        boolean meant = members.equals(together.forms().worldRanks());
        int place = members.indexOf(rank.rank());
        return place < 0
                ? null
                : new GroupState(
                        meant ? together.forms().id() : -together.forms().id(), 0, members, place);
    }

    private Submission.Address address(@Nullable Composite within) {
        return switch (plan) {
            case CallPlan.Together together -> {
                CallKey.Ticket key = together.key();
                yield new Submission.Address.Collectively(new CallKey.Ticket(
                        key.generation(),
                        key.group(),
                        key.name(),
                        key.ticket(),
                        key.ordinal(),
                        within == null ? null : within.enclosure()));
            }
            case CallPlan.Flow flow ->
                part.role() == RankCall.Role.SENDER
                        ? new Submission.Address.To(flow.name(), flow.tag(), part.peer())
                        : new Submission.Address.From(flow.name(), flow.tag(), part.peer());
        };
    }

    private Submission.Body valid(Scenario scenario, VirtualNetwork network) {
        Selection selection = scenario.selection();
        Layout layout = scenario.layout(plan.team());
        int size = layout.size();
        Tensors made = Tensors.of(this, network);
        tensors = made;
        Collective call = called(made, size).checkedFor(part.groupRank(), size);
        collective = call;
        subscription.borrow(call.tensors(), call.label());
        boolean isMessage = part.shape().operation() == Operation.MESSAGE;
        if (call instanceof Coalesced scope) {
            Selection beside = scope.fused().size() == 1 ? selection : selection.within(0);
            return Submission.Body.Valid.coalesced(
                    scope,
                    part.groupRank(),
                    size,
                    each -> beside.algorithm(each.signature(), layout, Bits.RANK_ORDER)
                            .schedule(place(each, layout)));
        }
        return isMessage
                ? Submission.Body.Valid.message(call)
                : new Submission.Body.Valid(
                        call, algorithm(selection, call.signature(), layout).schedule(place(call, layout)), size);
    }

    private Place place(Collective call, Layout layout) {
        return Place.of(call, part.groupRank(), layout);
    }

    /** The algorithm that the part asks for, of those with the bits of the rank order. */
    private Algorithm algorithm(Selection selection, Signature signature, Layout layout) {
        if (part.way() == 0) {
            return selection.algorithm(signature, layout, Bits.RANK_ORDER);
        }
        List<Offer> offers = selection.offers(signature, layout).stream()
                .filter(offer -> offer.keepsBits(signature))
                .toList();
        return offers.get((part.way() - 1) % offers.size()).algorithm();
    }

    private Collective called(Tensors made, int size) {
        return switch (plan) {
            case CallPlan.Together ignored ->
                part.shape().collective(made.inputs(), made.outputs(), part.groupRank(), size);
            case CallPlan.Flow flow ->
                part.role() == RankCall.Role.SENDER
                        ? new Send(made.inputs().getFirst(), part.peer(), flow.tag())
                        : new Receive(made.outputs().getFirst(), part.peer(), flow.tag());
        };
    }

    @Override
    public @Nullable Observation observation() {
        return observation;
    }

    @Override
    public void succeeded(Work result) {
        judge.ends(this);
        endedAt = judge.now();
        if (observation != null) {
            observation.ended(null);
        }
        work = result;
        judge.succeeded(this, result);
        letGo();
        audience.mayHear();
        subscription.succeeded(result);
        askLate();
        tellEnd();
    }

    @Override
    public void failed(Failure cause) {
        judge.ends(this);
        endedAt = judge.now();
        if (observation != null) {
            observation.ended(cause.toException());
        }
        failure = cause;
        judge.failed(this, cause);
        letGo();
        audience.mayHear();
        subscription.failed(cause);
        askLate();
        tellEnd();
    }

    private void tellEnd() {
        BodyStep inside = plan.maker();
        if (body == null || inside == null) {
            membership.ended(this);
        } else {
            body.innerEnded(inside.step());
        }
    }

    private void askLate() {
        if (part.demandAfter() == RankCall.AT_THE_END) {
            rank.execute(this::ask);
        }
    }

    private void letGo() {
        Tensors made = tensors;
        if (made != null) {
            made.release();
        }
    }

    @Override
    public String toString() {
        BodyStep inside = plan.inside();
        return "rank " + rank.rank() + " in call " + plan.index()
                + (inside == null ? "" : " of composite " + inside.body().index()) + " (" + part + ")";
    }
}

package io.reactivecomm.internal.engine;

import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Fingerprint;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.observe.CallRecords;
import io.reactivecomm.internal.observe.FlightRecorder;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.internal.observe.RecordedCall;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.transfer.Resources;
import io.reactivecomm.internal.transfer.ScheduledCollective;
import io.reactivecomm.internal.transfer.Transfer;
import io.reactivecomm.recorder.WaitingCall;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call while it runs on this rank.
 *
 * <pre>
 *   POSTED ── a message matches ──&gt; RUNNING ── all steps done, all partners opened ──&gt; ENDED
 *   (receives only)                   │  └──── a partner's opening differs ──&gt; DISPUTED ──┐
 *                                     └──── any failure ──────────────────────────────────┴─&gt; ENDED
 * </pre>
 *
 * Owned by the loop.
 */
final class Call extends Transfer implements Signals.Success {

    enum State {
        POSTED,
        RUNNING,
        DISPUTED,
        ENDED
    }

    private final Ranks ranks;
    private final Consumer<Call> touched;
    private final Submission submission;
    private Partners partners = Partners.NONE;
    private @Nullable CallKey key;
    private State state = State.POSTED;
    private @Nullable Failure failure;
    private @Nullable Stall stall;

    /** The threads of {@link LiveCalls}. */
    @Nullable Call nextByNumber;

    @Nullable Call nextByKey;

    @Nullable Call older;

    @Nullable Call younger;

    /** The threads of {@link Deadlines}. */
    Deadlines.@Nullable Line line;

    @Nullable Call dueBefore;

    @Nullable Call dueAfter;

    /**
     * @param touched takes a call that is to be looked at when the event is over
     * @param submission one that passed its checks
     */
    Call(Resources resources, Ranks ranks, Consumer<Call> touched, long number, Submission submission) {
        super(resources, number);
        this.ranks = ranks;
        this.touched = touched;
        this.submission = submission;
    }

    Submission submission() {
        return submission;
    }

    /** Not kept beside the submission: a call is as small as it can be. */
    private Submission.Body.Valid body() {
        return (Submission.Body.Valid) submission.body();
    }

    @Override
    protected int priority() {
        return submission.priority();
    }

    @Override
    protected int groupSize() {
        return group().size();
    }

    GroupState group() {
        return submission.group();
    }

    Collective collective() {
        return body().collective();
    }

    Signature signature() {
        return body().signature();
    }

    long startedAt() {
        return submission.subscribedAt();
    }

    long deadline() {
        return startedAt() + submission.timeoutNanos();
    }

    State state() {
        return state;
    }

    boolean hasEnded() {
        return state == State.ENDED;
    }

    /** {@return the identity; null for a receive that no message has matched} */
    @Nullable CallKey key() {
        return key;
    }

    String algorithm() {
        return body().algorithm();
    }

    /** {@return the call in messages, such as {@code layer1.weight#2}; a stream's with the mark by which its errors are told as its own} */
    String label() {
        if (key != null) {
            return key.label();
        }
        return submission.address() instanceof Submission.Address.From from
                ? from.name() + "[" + (from.peer() < 0 ? "any" : from.peer()) + "→" + group().rank() + ", tag="
                        + from.tag() + "]"
                : "";
    }

    /** {@return it, as it is under way} @param late world ranks that have not made it */
    WaitingCall waiting(List<Integer> late, long now) {
        long byteSize = collective().byteSize(groupSize());
        return new WaitingCall(
                group().id(),
                groupSize(),
                CallRecords.readable(label()),
                collective().label(),
                Submission.BACKEND,
                byteSize,
                Optional.of(Duration.ofNanos(now - startedAt())),
                late,
                late.size());
    }

    /**
     * Notes what it was, and how it ended.
     *
     * @param missing of one that failed, the ranks of the world that had not joined
     */
    void noteIn(FlightRecorder recorder, CallKey identity, long endedAt, List<Integer> missing) {
        Signature signature = signature();
        boolean hasParts = signature.count() == Signature.UNEVEN || signature.partition() != 0;
        String schedule = identity instanceof CallKey.Ticket ? algorithm() : "";
        RecordedCall record =
                recorder.ended(identity, signature, hasParts ? collective().words() : null, schedule, failure);
        record.lasted(startedAt(), endedAt).by(Submission.BACKEND, submission.site());
        if (failure != null) {
            record.without(missing);
        }
    }

    private String name() {
        return key == null ? "" : key.name();
    }

    /** {@return a hash of the place that assembled the call; 0 if that is not known} */
    long site() {
        String site = submission.site();
        return site.isEmpty() ? 0 : site.hashCode() | 1L << 32;
    }

    /** {@return what was called, for a list of who called what} */
    String description() {
        String algorithms = key instanceof CallKey.Ticket ? body().algorithms() : "";
        String what = collective().describe() + (algorithms.isEmpty() ? "" : " by " + algorithms);
        return submission.site().isEmpty() ? what : what + " at " + submission.site();
    }

    /** The call has its identity, and runs from here; it has no steps yet. What all ranks run alike comes before messages, of which each has its own. */
    void begin(CallKey identity, List<ScheduledCollective> collectives) {
        key = identity;
        ScheduledCollective first = collectives.getFirst();
        long fingerprint = first.isPairwise() ? 0 : first.schedule().fingerprint();
        boolean needsNoGrants = first.schedule().needsNoGrants();
        for (int i = 1; i < collectives.size() && !collectives.get(i).isPairwise(); i++) {
            Schedule schedule = collectives.get(i).schedule();
            fingerprint = Fingerprint.mix(fingerprint, schedule.fingerprint());
            needsNoGrants |= schedule.needsNoGrants();
        }
        state = State.RUNNING;
        begin(fingerprint, needsNoGrants);
    }

    Partners partners() {
        return partners;
    }

    @Nullable Partner partner(Peer peer) {
        return partners.find(peer);
    }

    /** {@return the edges to a rank that a step names; from here on it is a partner} */
    @Override
    protected Partner edgesTo(int groupRank) {
        Peer peer = ranks.peer(group().worldRank(groupRank));
        Partner known = partners.find(peer);
        if (known != null) {
            return known;
        }
        if (partners == Partners.NONE) {
            partners = new Partners();
        }
        Partner partner = new Partner(this, peer);
        partners.add(partner);
        return partner;
    }

    @Override
    protected @Nullable Observation observation() {
        return submission.sink().observation();
    }

    @Override
    protected List<Tensor> tensors() {
        return collective().tensors();
    }

    @Override
    protected void touched() {
        touched.accept(this);
    }

    /** {@return whether nothing is left to do, here or in agreement with others} */
    boolean isDone() {
        if (!isThrough()) {
            return false;
        }
        for (int i = 0; i < partners.size(); i++) {
            if (!partners.get(i).areOpen()) {
                return false;
            }
        }
        return true;
    }

    void dispute() {
        state = State.DISPUTED;
        stop();
    }

    /** Lets go of everything the call holds; nothing touches its tensors afterwards. */
    void end(@Nullable Failure cause) {
        state = State.ENDED;
        failure = cause;
        stop();
        if (cause != null) {
            // What links have of it comes first: then no memory that steps give back is written into any more.
            for (int i = 0; i < partners.size(); i++) {
                partners.get(i).abandon();
            }
            abandon();
        }
        for (int i = 0; i < partners.size(); i++) {
            partners.get(i).letGo();
        }
        letGo();
    }

    @Override
    public Work work(long endedAt) {
        int peer = Work.NO_PEER;
        long sequence = key instanceof CallKey.Ticket ticket ? ticket.ticket() : 0;
        if (key instanceof CallKey.Message message) {
            peer = message.source() == group().rank() ? message.destination() : message.source();
            sequence = message.number();
        }
        Observation observation = observation();
        if (observation != null) {
            observation.over(endedAt);
        }
        return new CallSink.Success(
                collective().label(),
                collective().results(group().rank()),
                sequence,
                collective().byteSize(groupSize()),
                endedAt - startedAt(),
                Submission.BACKEND,
                algorithm(),
                peer,
                name(),
                groupSize(),
                observation);
    }

    /** {@return why it failed, or null} */
    @Nullable Failure failure() {
        return failure;
    }

    /** {@return what the other ranks said of this call when it had waited for long, or null if they were not asked} */
    @Nullable Stall stall() {
        return stall;
    }

    void stalled(Stall questions) {
        stall = questions;
    }
}

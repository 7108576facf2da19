package io.reactivecomm.engine;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Fingerprint;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.schedule.Schedule;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.List;
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
final class Call {

    enum State {
        POSTED,
        RUNNING,
        DISPUTED,
        ENDED
    }

    static final Run[] NO_RUNS = new Run[0];

    /** The {@link #algorithm()} of a call whose sections have different ones. */
    private static final String SEVERAL = "several";

    private final Calls calls;
    private final long number;
    private final Submission submission;
    private final Submission.Body.Valid body;
    private Partners partners = Partners.NONE;
    private @Nullable CallKey key;
    private String algorithm = "";
    private boolean needsNoGrants;
    private long fingerprint;
    private Run[] runs = NO_RUNS;
    private int unfinished;
    private Scratch.@Nullable Block ownScratch;
    private State state = State.POSTED;
    private @Nullable Failure failure;
    private @Nullable Failure spoiled;
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

    Call(Calls calls, long number, Submission submission, Submission.Body.Valid body) {
        this.calls = calls;
        this.number = number;
        this.submission = submission;
        this.body = body;
    }

    /** {@return this rank's number for the call, by which peers address it} */
    long number() {
        return number;
    }

    Submission submission() {
        return submission;
    }

    GroupState group() {
        return submission.group();
    }

    Collective collective() {
        return body.collective();
    }

    Signature signature() {
        return body.signature();
    }

    int priority() {
        return submission.priority();
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

    boolean isRunning() {
        return state == State.RUNNING;
    }

    boolean hasEnded() {
        return state == State.ENDED;
    }

    EngineLimits limits() {
        return calls.limits();
    }

    int groupSize() {
        return group().size();
    }

    /** {@return the identity; null for a receive that no message has matched} */
    @Nullable CallKey key() {
        return key;
    }

    String algorithm() {
        return algorithm;
    }

    /** {@return whether its small transfers travel with their announcements in any case: if they waited for grants, it would wait for ever} */
    boolean needsNoGrants() {
        return needsNoGrants;
    }

    /** {@return the call in messages, such as {@code layer1.weight#2}} */
    String label() {
        if (key != null) {
            return key.label();
        }
        return submission.address() instanceof Submission.Address.From from
                ? from.name() + "[" + (from.peer() < 0 ? "any" : from.peer()) + "→" + group().rank() + ", tag=" + from.tag() + "]"
                : "";
    }

    /** {@return what was called, for a list of who called what} */
    String description() {
        String what = collective().describe() + (key instanceof CallKey.Ticket ? " by " + algorithm : "");
        return submission.site().isEmpty() ? what : what + " at " + submission.site();
    }

    /** The call has its identity; what it needs next is its steps. */
    void identify(CallKey identity, List<Section> sections) {
        key = identity;
        algorithm = sections.getFirst().schedule().algorithm();
        fingerprint = sections.getFirst().schedule().fingerprint();
        needsNoGrants = sections.getFirst().schedule().needsNoGrants();
        for (int i = 1; i < sections.size(); i++) {
            Schedule schedule = sections.get(i).schedule();
            fingerprint = Fingerprint.mix(fingerprint, schedule.fingerprint());
            needsNoGrants |= schedule.needsNoGrants();
            algorithm = schedule.algorithm().equals(algorithm) ? algorithm : SEVERAL;
        }
    }

    /** The call has its steps: it runs from here. */
    void bind(Run[] steps, Scratch.@Nullable Block memory) {
        runs = steps;
        ownScratch = memory;
        unfinished = steps.length;
        state = State.RUNNING;
    }

    Partners partners() {
        return partners;
    }

    @Nullable Partner partner(Peer peer) {
        return partners.find(peer);
    }

    /** {@return the partner that a step names, by its place in the group; from here on it is one} */
    Partner partnerAt(int groupRank) {
        Peer peer = calls.peer(group(), groupRank);
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

    long fingerprint() {
        return fingerprint;
    }

    /** {@return whether the subscriber is told of elements as they have their final value} */
    boolean isWatched() {
        return submission.sink() instanceof PartSink;
    }

    /** Elements of the output have their final value. */
    void landed(long from, long count) {
        calls.landed(this, from, count);
    }

    void advanceAll() {
        for (Run run : runs) {
            run.advance();
        }
    }

    void runDone() {
        unfinished--;
    }

    /** A caller's own operator threw: the call fails on all ranks when the event that it was in is over. */
    void spoil(InvalidCallException error) {
        spoiled = Failures.spoiled(this, group().worldRank(group().rank()), error);
    }

    /** A piece could not be packed: the call fails on all ranks when the event that it was in is over. */
    void lacksMemory(long bytes) {
        spoiled = Failures.noMemory(this, group().worldRank(group().rank()), bytes);
    }

    Scratch scratch() {
        return calls.scratch();
    }

    /** Ends the call in success if nothing is left to do, or in failure if a step cannot be done. */
    void check() {
        if (state == State.RUNNING && spoiled != null) {
            calls.failedEverywhere(this, spoiled);
            return;
        }
        if (state == State.RUNNING && unfinished == 0) {
            for (int i = 0; i < partners.size(); i++) {
                if (!partners.get(i).hasOpened() || !partners.get(i).isMatched()) {
                    return;
                }
            }
            calls.succeeded(this);
        }
    }

    void dispute() {
        state = State.DISPUTED;
    }

    /** Lets go of everything the call holds; nothing touches its tensors afterwards. */
    void end(@Nullable Failure cause) {
        state = State.ENDED;
        failure = cause;
        if (cause != null) {
            for (int i = 0; i < partners.size(); i++) {
                Peer peer = partners.get(i).peer;
                peer.outbox().withdraw(this);
                peer.inbox().abandon(this);
            }
            for (Run run : runs) {
                run.abandon();
            }
        }
        for (int i = 0; i < partners.size(); i++) {
            partners.get(i).letGo();
        }
        if (ownScratch != null) {
            ownScratch.giveBack();
            ownScratch = null;
        }
        runs = NO_RUNS;
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

package io.reactivecomm.engine;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Frame;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    private final Calls calls;
    private final long number;
    private final Submission submission;
    private final Collective collective;
    private final Signature signature;
    private final long startedAt;
    private final Map<Peer, Partner> partners = new LinkedHashMap<>();
    private @Nullable CallKey key;
    private String algorithm = "";
    private long fingerprint;
    private List<Run> runs = List.of();
    private int unfinished;
    private Scratch.@Nullable Block scratch;
    private State state = State.POSTED;
    private @Nullable Failure failure;
    private @Nullable Failure spoiled;
    private @Nullable Stall stall;

    Call(Calls calls, long number, Submission submission, Collective collective, long startedAt) {
        this.calls = calls;
        this.number = number;
        this.submission = submission;
        this.collective = collective;
        this.signature = collective.signature();
        this.startedAt = startedAt;
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
        return collective;
    }

    Signature signature() {
        return signature;
    }

    long startedAt() {
        return startedAt;
    }

    long deadline() {
        return startedAt + submission.timeoutNanos();
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

    int elementBytes() {
        return signature.type().byteSize();
    }

    /** {@return the width of an element of scratch: the accumulator's where the call reduces, else the type's own} */
    int partialBytes() {
        return signature.reduction() == null ? elementBytes() : signature.type().accumulator().byteSize();
    }

    /** {@return the identity; null for a receive that no message has matched} */
    @Nullable CallKey key() {
        return key;
    }

    String algorithm() {
        return algorithm;
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
        String what = collective.describe() + (key instanceof CallKey.Ticket ? " by " + algorithm : "");
        return submission.site().isEmpty() ? what : what + " at " + submission.site();
    }

    /** The call has its identity; what it needs next is its steps. */
    void identify(CallKey key, String algorithm, long fingerprint) {
        this.key = key;
        this.algorithm = algorithm;
        this.fingerprint = fingerprint;
    }

    /** The call has its steps: it runs from here. */
    void bind(Binding binding, Scratch.@Nullable Block scratch) {
        this.runs = binding.runs();
        this.scratch = scratch;
        this.partners.putAll(binding.partners());
        this.unfinished = runs.size();
        this.state = State.RUNNING;
    }

    Collection<Partner> partners() {
        return partners.values();
    }

    @Nullable Partner partner(Peer peer) {
        return partners.get(peer);
    }

    long fingerprint() {
        return fingerprint;
    }

    /** Elements of the output have their final value. */
    void landed(long from, long count) {
        calls.landed(this, from, count);
    }

    Frame.Open opening(Partner partner, List<Frame.Edge> edges) {
        CallKey known = key;
        if (known == null) {
            throw new IllegalStateException("a call without identity opens: call=" + label());
        }
        return new Frame.Open(
                known, number, partner.remoteCall(), signature, partner.outgoing(), partner.incoming(), siteHash(), edges);
    }

    /** {@return whether a peer's opening says what this rank's call says: the same call, and the same transfers between the two} */
    boolean agreesWith(Partner partner, Frame.Open open) {
        boolean sameSite = open.site() == 0 || siteHash() == 0 || open.site() == siteHash();
        boolean sameTransfers = open.outgoing() == partner.incoming() && open.incoming() == partner.outgoing();
        return open.signature().equals(signature) && sameTransfers && sameSite;
    }

    private long siteHash() {
        return submission.site().isEmpty() ? 0 : submission.site().hashCode() | 1L << 32;
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

    /** Ends the call in success if nothing is left to do, or in failure if a step cannot be done. */
    void check() {
        if (state == State.RUNNING && spoiled != null) {
            calls.failedEverywhere(this, spoiled);
            return;
        }
        if (state == State.RUNNING && unfinished == 0) {
            for (Partner partner : partners.values()) {
                if (!partner.hasOpened() || !partner.isMatched()) {
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
            for (Partner partner : partners.values()) {
                partner.peer.outbox().withdraw(this);
                partner.peer.inbox().abandon(this);
            }
            for (Run run : runs) {
                if (run instanceof FoldRun fold) {
                    fold.abandon();
                }
            }
        }
        if (scratch != null) {
            calls.scratch().giveBack(scratch);
            scratch = null;
        }
        runs = List.of();
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

package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.List;
import java.util.Optional;

/**
 * The questions about calls that are not ready on all members: those of members, who is missing, and the leader's own, whether a member will ever be ready.
 * Owned by the leader.
 */
final class LeaderQuestions {

    private final LeaderGroups groups;
    private final LeaderOpenings openings;
    /** Calls of which some ranks have not spoken, and are then asked. */
    private final Collecting<CallKey> asks = new Collecting<>(Leader.DISPUTE_NANOS);

    LeaderQuestions(LeaderGroups groups, LeaderOpenings openings) {
        this.groups = groups;
        this.openings = openings;
    }

    /**
     * A call has begun to wait, or has failed on some members: the others are asked in a while. A step or a composite call may end without it there, or it may be
     * switched off. For a message outside of both the other end may always come.
     */
    void begin(CallKey key, long now) {
        if (key instanceof CallKey.Ticket || key.enclosure() != null || key.step() != CallKey.NO_STEP) {
            asks.begin(key, now);
        }
    }

    /** A call waits no more. */
    void forget(CallKey key) {
        asks.remove(key);
    }

    /** {@return the calls that are due to be asked for} */
    List<CallKey> due(long now) {
        return asks.due(now);
    }

    long next() {
        return asks.next();
    }

    /** {@return the calls that are asked for in a while} */
    int size() {
        return asks.size();
    }

    /** Asks the members that have not spoken of a call whether they will. */
    void askSilent(CallKey key) {
        LeaderGroup roster = groups.find(GroupKey.of(key));
        PendingCall call = roster == null ? null : roster.pending().get(key);
        FailedCall failed = roster == null ? null : roster.failed().get(key);
        if (call != null) {
            call.missing().forEach(rank -> groups.send(rank, new Notice.Wanted(key)));
        } else if (failed != null) {
            for (int rank : failed.silent()) {
                groups.send(rank, new Notice.Wanted(key));
            }
        }
    }

    /** A member asks who is missing. */
    void asked(int from, CallKey key) {
        LeaderGroup roster = groups.find(from, GroupKey.of(key));
        PendingCall gathering =
                roster == null ? null : roster.pending().get(roster.messages().keyOf(from, key));
        if (gathering != null) {
            gathering.asked(from);
            answer(gathering, from);
            askSilent(gathering.key());
        }
    }

    /** Whoever has asked who is missing hears that a member has the call and has not subscribed to it. */
    void assembled(int from, CallKey.Ticket key) {
        LeaderGroup roster = groups.find(from, GroupKey.of(key));
        PendingCall gathering = roster == null ? null : roster.pending().get(key);
        if (gathering != null && gathering.assembled(from)) {
            gathering.askers().forEach(asker -> answer(gathering, asker));
        }
    }

    private void answer(PendingCall gathering, int asker) {
        Optional<String> opening = openings.waits(gathering);
        String others = opening.isPresent() ? "" : gathering.roster().otherCalls(gathering.missing(), asker);
        boolean isOrder = opening.isEmpty() && (!others.isEmpty() || gathering.isAssembledWhereMissing());
        String latest = opening.orElseGet(gathering::latest) + others;
        groups.send(asker, new Notice.Waiting(gathering.keyOn(asker), gathering.missing(), latest, isOrder));
    }
}

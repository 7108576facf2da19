package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The composite calls whose parts gather at the leader: runs that are something else on different ranks fail, and what waits in a run that has failed or is
 * over.
 *
 * <p>A run of a composite call that ends well costs no notice. So only who is asked says that no call of a run comes from there any more: those on
 * which a call of a composite is not ready a tenth of a second after the first. Owned by the leader.
 */
final class LeaderComposites {

    private final LeaderGroups groups;
    private final LeaderRuns runs;
    private final LeaderCalls calls;
    /** Runs that are something else on different ranks. */
    private final Collecting<CallKey.Ticket> disputes = new Collecting<>(Leader.DISPUTE_NANOS);

    LeaderComposites(LeaderGroups groups, LeaderRuns runs, LeaderCalls calls) {
        this.groups = groups;
        this.runs = runs;
        this.calls = calls;
    }

    /** {@return whether a call that a rank is ready for has failed, with a run that it is in or with one of its own identity} */
    boolean fails(int from, PendingCall gathering, CallKey key, long now) {
        return runs.tellEndOf(gathering, calls::failPart) || disputes(from, gathering, key, now);
    }

    /** {@return whether a call that a rank is ready for has failed because a composite call is something else on another rank} */
    private boolean disputes(int from, PendingCall gathering, CallKey key, long now) {
        CallKey.Ticket disputed = runs.ready(from, gathering, key);
        if (key instanceof CallKey.Ticket run && runs.isLive(run)) {
            disputed = run;
        }
        for (Enclosure each = key.enclosure(); disputed == null && each != null; each = each.outer()) {
            disputed = plain(each.run()) == null ? null : each.run();
        }
        if (disputed == null) {
            return false;
        }
        disputes.begin(disputed, now);
        LeaderGroup roster = groups.find(GroupKey.of(disputed));
        if (roster != null && called(disputed).keySet().containsAll(roster.members())) {
            settle(disputed);
        }
        return !gathering.roster().pending().contains(key);
    }

    /** {@return the call that waits under the identity of a composite call's run, or null} */
    private @Nullable PendingCall plain(CallKey.Ticket run) {
        LeaderGroup roster = groups.find(GroupKey.of(run));
        return roster == null ? null : roster.pending().get(run);
    }

    /** {@return who called what under the identity of a run} */
    private Map<Integer, String> called(CallKey.Ticket run) {
        Map<Integer, String> called = new TreeMap<>();
        runs.words(run).forEach((rank, words) -> called.put(rank, "composite " + words));
        PendingCall plain = plain(run);
        if (plain != null) {
            plain.said().forEach((rank, ready) -> called.put(rank, ready.words()));
        }
        return called;
    }

    private void settle(CallKey.Ticket run) {
        disputes.remove(run);
        Map<Integer, String> called = called(run);
        LeaderGroup roster = groups.find(GroupKey.of(run));
        if (!called.isEmpty()) {
            Failure cause = FailureTexts.otherComposite(
                    run, roster == null ? List.copyOf(called.keySet()) : roster.members(), called);
            runs.failed(run, cause);
            failParts(run, cause);
            PendingCall plain = plain(run);
            if (plain != null) {
                calls.failPart(plain, cause, 0);
            }
        }
    }

    /** Fails the runs of which it has been collected for long enough who called what. */
    void settleDue(long now) {
        disputes.due(now).forEach(this::settle);
    }

    long next() {
        return disputes.next();
    }

    /** {@return what is kept of runs as long as calls wait in them} */
    int waiting() {
        return runs.size() + disputes.size();
    }

    /** No call of a run comes from a member any more. */
    void over(int from, Notice.Over over) {
        if (over.failed()) {
            runs.failed(over.run(), over.cause());
            disputes.remove(over.run());
            failParts(over.run(), over.cause());
        } else {
            runs.over(over.run(), from, over.cause());
        }
        for (PendingCall call : runs.partsOf(over.run())) {
            if (call.lacks(from)) {
                calls.failPart(call, over.cause(), LeaderRuns.level(call.key(), over.run()));
            }
        }
        PendingCall plain = plain(over.run());
        if (plain != null && plain.lacks(from)) {
            calls.failPart(plain, over.cause(), 0);
        }
        groups.all().forEach(roster -> roster.over(from, over.run()));
    }

    private void failParts(CallKey.Ticket run, Failure cause) {
        runs.partsOf(run).forEach(call -> calls.failPart(call, cause, LeaderRuns.level(call.key(), run)));
    }
}

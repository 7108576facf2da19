package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls that gather at the leader until all their members are ready, or they fail.
 *
 * <pre>
 *              Ready of all members
 *   PendingCall ────────────────────&gt; due ── announce() ──&gt; Batch to each member, forgotten here
 *       │ Refused, Failed, a different signature              ^ in order of priority, then of who was complete first
 *       ├──────────────────────────&gt; failed ─────────────────&gt; Failed to all members, of a message to those that are ready,
 *       │                                                     remembered until each has said its last word
 *       │ Over: its composite call has failed, or is over on a member that is not ready
 *       └──────────────────────────&gt; failed ─────────────────&gt; Failed to all that are ready, with the run that fails
 * </pre>
 *
 * <p>Each member says one last word of a call that fails: {@code Refused}, or {@code Failed} once it is ready no more, by itself or because
 * it was told. So what failed is remembered as long as a late subscriber may come, who would wait for nobody, and no longer. Calls that
 * some member never makes stay; a group in which they become very many ends. Owned by the leader.
 */
final class LeaderCalls {

    private final LeaderGroups groups;
    private final LeaderRuns runs;
    private final LeaderQuestions questions;
    private final LeaderOpenings openings;
    private final Announcements announcements;
    /** Calls whose ranks differ. */
    private final Collecting<PendingCall> disputes = new Collecting<>(Leader.DISPUTE_NANOS);

    LeaderCalls(
            LeaderGroups groups,
            LeaderRuns runs,
            LeaderQuestions questions,
            LeaderOpenings openings,
            Announcements announcements) {
        this.groups = groups;
        this.runs = runs;
        this.questions = questions;
        this.openings = openings;
        this.announcements = announcements;
    }

    /** {@return the call that a rank is ready for, or null if it has failed: then the rank is told} */
    @Nullable PendingCall ready(LeaderGroup roster, int from, CallKey key, Notice.Ready ready) {
        FailedCall known = roster.failed().get(key);
        if (known != null) {
            known.ready(from);
            groups.send(
                    from,
                    new Notice.Failed(
                            ready.key(), FailureTexts.withOwn(known.cause(), key, from, ready.words()), known.level()));
            return null;
        }
        PendingCall gathering = roster.gather(key);
        gathering.ready(from, ready);
        return gathering;
    }

    /** A rank more is ready for a call. */
    void gathered(PendingCall gathering, long now) {
        if (LeaderMessages.isFromAny(gathering.key())) {
            return;
        }
        if (gathering.differs()) {
            questions.forget(gathering.key());
            disputes.begin(gathering, now);
            if (gathering.isComplete()) {
                settle(gathering, now);
            }
        } else if (gathering.isComplete()) {
            openings.add(gathering);
        } else {
            questions.begin(gathering.key(), now);
        }
    }

    private void settle(PendingCall dispute, long now) {
        fail(
                dispute.roster(),
                dispute.key(),
                FailureTexts.mismatch(dispute.key(), dispute.members(), dispute.said()),
                now);
    }

    /** Fails the calls of which it has been collected for long enough who called what. */
    void settleDue(long now) {
        disputes.due(now).forEach(dispute -> settle(dispute, now));
    }

    long next() {
        return disputes.next();
    }

    /** {@return the calls of which it is collected who called what} */
    int disputed() {
        return disputes.size();
    }

    /** Fails a call that waits, for all who are ready for it; for who comes later it is remembered why its run has ended. */
    void failPart(PendingCall call, Failure cause, int level) {
        CallKey key = call.key();
        call.roster().pending().remove(key);
        forget(call);
        call.roster().failed().put(key, new FailedCall(cause, level, call.said().keySet()));
        call.said().forEach((rank, ready) -> groups.send(rank, new Notice.Failed(ready.key(), cause, level)));
    }

    /** A call waits no more. */
    void forget(PendingCall call) {
        announcements.remove(call);
        openings.remove(call);
        disputes.remove(call);
        questions.forget(call.key());
        runs.forget(call);
        call.roster().messages().vanish(call.key());
    }

    /** A call is about to be announced. */
    void announced(PendingCall call) {
        call.roster().pending().remove(call.key());
        questions.forget(call.key());
        runs.forget(call);
        call.said().values().forEach(ready -> call.roster().messages().forget(ready.key()));
    }

    /** Fails a call that is not announced, for all who are ready for it and for all who will be. */
    void fail(LeaderGroup roster, CallKey key, Failure cause, long now) {
        if (roster.failed().contains(key)) {
            return;
        }
        PendingCall gathering = roster.pending().remove(key);
        FailedCall verdict = new FailedCall(
                cause, 0, gathering == null ? List.of() : gathering.said().keySet());
        roster.membersOf(key).stream().filter(rank -> !runs.isOver(key, rank)).forEach(verdict::await);
        if (verdict.isAwaited()) {
            roster.failed().put(key, verdict);
        }
        if (gathering != null) {
            forget(gathering);
        }
        questions.begin(key, now);
        for (int rank : roster.membersOf(key)) {
            // A receive behind one from any may be for a later message when that comes: its sender hears of it then,
            // and no other before.
            if (key instanceof CallKey.Ticket || gathering != null && !gathering.lacks(rank)) {
                groups.send(rank, new Notice.Failed(gathering == null ? key : gathering.keyOn(rank), cause));
            }
        }
    }

    /** A call that has failed is for another message than it was: those that have not spoken of that one are asked, too. */
    void failedAs(LeaderGroup roster, CallKey before, CallKey after, long now) {
        FailedCall failed = roster.failed().remove(before);
        if (failed != null) {
            questions.forget(before);
            roster.failed().put(after, failed);
            questions.begin(after, now);
        }
    }

    /** A member will not speak of a failed call again. */
    void lastWord(LeaderGroup roster, CallKey key, int from) {
        FailedCall verdict = roster.failed().get(key);
        if (verdict != null && verdict.lastWord(from)) {
            roster.failed().remove(key);
        }
        if (roster.failed().size() > Leader.MOST_FAILED) {
            // To forget one would leave a late subscriber waiting for nobody.
            groups.end(new Notice.Ended(
                    roster.group(), FailureTexts.tooManyFailures(roster.group(), Leader.MOST_FAILED), false));
        }
    }
}

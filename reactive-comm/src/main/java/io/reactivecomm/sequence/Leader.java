package io.reactivecomm.sequence;

import io.reactivecomm.internal.base.DrainLoop;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.engine.Formation;
import org.jspecify.annotations.Nullable;

/**
 * Decides the order: gathers who is ready for what, and announces what is ready on all members of its group.
 *
 * <pre>
 *                  ┌ LeaderArrivals ─┬─ LeaderComposites ─┐
 *   notices ─&gt; Leader ─────────────────── LeaderCalls ────┴─ LeaderOpenings ─ Announcements ─&gt; notices
 *                  └ LeaderQuestions    └───── LeaderGroups
 * </pre>
 *
 * <p>A state machine: (state, notice, now) → notices. What came in one round is announced together, when the round ends; nothing that is
 * ready waits for anything else, nor for batches that are under way.
 *
 * <p><b>Threads.</b> One at a time: it belongs to {@link DrainLoop}.
 */
final class Leader {

    /** The rank that decides. */
    static final int RANK = 0;

    /** How long it is collected who called what, once two ranks are known to differ: contract 6's tenth of a second. */
    static final long DISPUTE_NANOS = 100_000_000L;

    /** Later than any time. */
    static final long NEVER = Long.MAX_VALUE;

    /**
     * Failed calls that a group's members may leave unspoken of: a week of one failure every ten seconds, in some tens of megabytes a
     * group.
     */
    static final int MOST_FAILED = 65_536;

    private final int worldSize;
    private final Announcements announcements;
    private final LeaderOpenings openings;
    private final LeaderGroups groups;
    private final LeaderQuestions questions;
    private final LeaderCalls calls;
    private final LeaderComposites composites;
    private final LeaderArrivals arrivals;

    /** The way out of notices. */
    @FunctionalInterface
    interface Mail {

        void send(int worldRank, Notice notice);
    }

    /** @param formation which ranks take part in opening a group */
    Leader(int worldSize, int slots, Formation formation, Mail mail) {
        LeaderRuns runs = new LeaderRuns();
        this.worldSize = worldSize;
        this.announcements = new Announcements(mail);
        this.openings =
                new LeaderOpenings(worldSize, formation, this::send, announcements::nextNumber, announcements::add);
        this.groups = new LeaderGroups(worldSize, slots, mail, openings::abandon, this::forget);
        this.questions = new LeaderQuestions(groups, openings);
        this.calls = new LeaderCalls(groups, runs, questions, openings, announcements);
        this.composites = new LeaderComposites(groups, runs, calls);
        this.arrivals = new LeaderArrivals(groups, calls, composites);
    }

    private void send(int rank, Notice notice) {
        groups.send(rank, notice);
    }

    private void forget(PendingCall call) {
        calls.forget(call);
    }

    /**
     * Takes a member's notice.
     *
     * @throws ProtocolException if it makes no sense; the member is to be taken for {@link #gone}
     */
    void take(int from, Notice notice, long now) {
        if (groups.isGone(from)) {
            return;
        }
        switch (notice) {
            case Notice.Introduced introduced -> groups.introduced(from, introduced);
            case Notice.Ready ready -> arrivals.ready(from, ready, now);
            case Notice.Refused refused -> arrivals.refused(from, refused, now);
            case Notice.LeftOut leftOut -> arrivals.leftOut(from, leftOut);
            case Notice.SentElsewhere sent -> arrivals.sentElsewhere(from, sent, now);
            case Notice.Failed withdrawn -> arrivals.withdrawn(from, withdrawn, now);
            case Notice.Over over -> composites.over(from, over);
            case Notice.Ended end -> ended(from, end);
            case Notice.Asked asked -> questions.asked(from, asked.key());
            case Notice.Assembled assembled -> questions.assembled(from, assembled.key());
            case Notice.Left left -> left(from, left.cause());
            case Notice.Done done -> openings.done(from, done);
            case Notice.Closed closed -> openings.closed(from, closed.group());
            case Notice.Opening ignored -> throw senseless(from, notice);
            case Notice.Freeing ignored -> throw senseless(from, notice);
            case Notice.Waiting ignored -> throw senseless(from, notice);
            case Notice.Wanted ignored -> throw senseless(from, notice);
            case Notice.Batch ignored -> throw senseless(from, notice);
        }
    }

    private static ProtocolException senseless(int from, Notice notice) {
        return new ProtocolException("a notice came the wrong way: rank=" + from + ", notice=" + notice);
    }

    private void ended(int from, Notice.Ended end) {
        if (!openings.isAwaited(from, end.group())) {
            groups.find(from, end.group());
        }
        groups.end(end);
    }

    private void left(int rank, @Nullable Failure fault) {
        if (fault == null) {
            gone(rank, FailureTexts.departed(rank), false);
        } else {
            gone(rank, fault, true);
        }
    }

    /**
     * A rank has left, or cannot be reached: its groups end.
     *
     * @param abandoned whether what runs in them fails too, because the rank has not said that it has done its part
     */
    void gone(int rank, Failure cause, boolean abandoned) {
        if (groups.gone(rank, cause, abandoned)) {
            openings.gone(rank, cause, abandoned).forEach(groups::end);
        }
    }

    /** Announces what became ready everywhere in this round. */
    void announce() {
        announcements.send(calls::announced);
    }

    /** The time of {@link #next} has come. */
    void time(long now) {
        calls.settleDue(now);
        composites.settleDue(now);
        questions.due(now).forEach(questions::askSilent);
    }

    /** {@return when {@link #time} has something to do, or {@link #NEVER}} */
    long next() {
        return Math.min(calls.next(), Math.min(composites.next(), questions.next()));
    }

    /** This rank leaves the world in good order, and the order ends for all. */
    void close() {
        close(null);
    }

    /** The order ends for all. @param fault why this rank cannot go on; null if it leaves in good order */
    void close(@Nullable Failure fault) {
        for (int rank = 0; rank < worldSize; rank++) {
            if (rank != RANK) {
                send(rank, new Notice.Left(fault));
            }
        }
    }

    /** {@return failed calls of which some member has not spoken yet} */
    int failed() {
        return groups.all().stream().mapToInt(roster -> roster.failed().size()).sum();
    }

    /** {@return groups that engines open or have open} */
    int opened() {
        return openings.size();
    }

    /** {@return what is kept for calls that wait, apart from themselves: nothing once none does} */
    int kept() {
        int ofMessages = groups.all().stream()
                .mapToInt(roster -> roster.messages().size())
                .sum();
        return questions.size() + calls.disputed() + composites.waiting() + ofMessages;
    }

    /** {@return calls that are neither announced nor failed} */
    int pending() {
        return groups.all().stream().mapToInt(roster -> roster.pending().size()).sum();
    }
}

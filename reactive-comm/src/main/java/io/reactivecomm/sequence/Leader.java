package io.reactivecomm.sequence;

import io.reactivecomm.internal.base.DrainLoop;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.OrderedEngine.Formation;
import io.reactivecomm.spi.ProtocolException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides the order: gathers who is ready for what, and announces what is ready on all members of its group.
 *
 * <pre>
 *              Ready of all members
 *   PendingCall ────────────────────&gt; due ── announce() ──&gt; Batch to each member, forgotten here
 *       │ Refused, Failed, a different signature              ^ in order of priority, then of who was complete first
 *       ├──────────────────────────&gt; failed ─────────────────&gt; Failed to all members, remembered until each has said its last word
 *       │ Over: its composite call has failed, or is over on a member that is not ready
 *       └──────────────────────────&gt; failed ─────────────────&gt; Failed to all that are ready, with the run that fails
 * </pre>
 *
 * <p>Each member says one last word of a call that fails: {@code Refused}, or {@code Failed} once it is ready no more, by itself or because
 * it was told. So what failed is remembered as long as a late subscriber may come, who would wait for nobody, and no longer. Calls that
 * some member never makes stay; a group in which they become very many ends.
 *
 * <p>A run of a composite call that ends well costs no notice. So only who is asked says that no call of a run comes from there any more: those on
 * which a call of a composite is not ready a tenth of a second after the first.
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
    private final int slots;
    private final Mail mail;
    private final Map<GroupKey, LeaderGroup> groups = new LinkedHashMap<>();
    private final Announcements announcements;
    private final LeaderCommunicators communicators;
    /** Calls whose ranks differ. */
    private final Collecting<PendingCall> disputes = new Collecting<>(DISPUTE_NANOS);
    private final LeaderRuns runs = new LeaderRuns();
    /** Runs that are something else on different ranks. */
    private final Collecting<CallKey.Ticket> runDisputes = new Collecting<>(DISPUTE_NANOS);
    /** Calls in composites of which some ranks have not spoken, and are then asked. */
    private final Collecting<CallKey> asks = new Collecting<>(DISPUTE_NANOS);

    private final Map<GroupKey, LeaderGroup> ended = new Remembered<>();
    private final Map<Integer, Failure> gone = new HashMap<>();

    /** The way out of notices. */
    @FunctionalInterface
    interface Mail {

        void send(int worldRank, Notice notice);
    }

    /** One for an engine that opens nothing. */
    Leader(int worldSize, int slots, Mail mail) {
        this(worldSize, slots, Formation.NONE, mail);
    }

    /** @param formation which ranks take part in opening a group */
    Leader(int worldSize, int slots, Formation formation, Mail mail) {
        this.worldSize = worldSize;
        this.slots = slots;
        this.mail = mail;
        this.announcements = new Announcements(mail);
        this.communicators = new LeaderCommunicators(formation, worldSize, gone.keySet(), this::send);
    }

    /**
     * Takes a member's notice.
     *
     * @throws ProtocolException if it makes no sense; the member is to be taken for {@link #gone}
     */
    void take(int from, Notice notice, long now) {
        if (gone.containsKey(from)) {
            return;
        }
        switch (notice) {
            case Notice.Introduced introduced -> introduced(from, introduced);
            case Notice.Ready ready -> ready(from, ready, now);
            case Notice.Refused refused -> refused(from, refused, now);
            case Notice.LeftOut leftOut -> leftOut(from, leftOut);
            case Notice.Failed withdrawn -> withdrawn(from, withdrawn, now);
            case Notice.Over over -> over(from, over);
            case Notice.Ended end -> ended(from, end);
            case Notice.Asked asked -> asked(from, asked.key());
            case Notice.Assembled assembled -> assembled(from, assembled.key());
            case Notice.Closed closed -> communicators.closed(from, closed.group());
            case Notice.Left ignored -> gone(from, FailureTexts.departed(from), false);
            case Notice.Waiting ignored -> throw senseless(from, notice);
            case Notice.Wanted ignored -> throw senseless(from, notice);
            case Notice.Batch ignored -> throw senseless(from, notice);
            case Notice.Open ignored -> throw senseless(from, notice);
            case Notice.Free ignored -> throw senseless(from, notice);
        }
    }

    private static ProtocolException senseless(int from, Notice notice) {
        return new ProtocolException("a notice came the wrong way: rank=" + from + ", notice=" + notice);
    }

    /**
     * {@return a group that the rank is in, or null if it has ended, perhaps long ago: the rank has been told, or will be when it introduces it}
     */
    private @Nullable LeaderGroup roster(int from, GroupKey group) {
        LeaderGroup roster = groups.get(group);
        if (roster != null && !roster.members().contains(from)) {
            throw new ProtocolException("a rank spoke of a group that it is not in: rank=" + from + ", group=" + group);
        }
        return roster;
    }

    private void introduced(int from, Notice.Introduced introduced) {
        GroupKey key = introduced.group();
        List<Integer> members = introduced.worldRanks();
        boolean exist = members.stream().allMatch(rank -> rank >= 0 && rank < worldSize);
        if (!exist || !members.contains(from) || new HashSet<>(members).size() != members.size()) {
            throw new ProtocolException("a rank introduced an impossible group: rank=" + from + ", members=" + members);
        }
        LeaderGroup over = ended.get(key);
        if (over != null) {
            mail.send(from, over.end());
            return;
        }
        LeaderGroup known = groups.putIfAbsent(key, new LeaderGroup(introduced, slots));
        if (known != null && !known.members().equals(members)) {
            throw new ProtocolException("two groups have one number: group=" + key + ", ranks=" + known.members() + " and " + members);
        }
        for (int rank : members) {
            Failure cause = gone.get(rank);
            if (cause != null) {
                end(new Notice.Ended(key, cause, false));
            }
        }
    }

    private void ready(int from, Notice.Ready ready, long now) {
        LeaderGroup roster = roster(from, GroupKey.of(ready.key()));
        if (roster == null) {
            return;
        }
        roster.messages().require(from, ready.key());
        roster.issued(from, ready);
        CallKey key = roster.messages().keyOf(from, ready.key());
        CallKey.Message found = LeaderMessages.isFromAny(key) ? roster.waitingFor((CallKey.Message) key) : null;
        Notice.Ready taker = taker(roster, from, key, now);
        roster.messages().posted(from, ready.key());
        if (found != null) {
            takes(roster, (CallKey.Message) key, found, now);
        }
        ready(roster, from, found == null ? key : found, ready, now);
        if (taker != null) {
            ready(roster, roster.receiverOf(key), key, taker, now);
        }
    }

    /** {@return the receive from any that takes a message whose sender speaks of it, or null; it is in line no more} */
    private Notice.@Nullable Ready taker(LeaderGroup roster, int from, CallKey key, long now) {
        CallKey.Message any = roster.messages().taker(from, key, roster.isAwaited(key));
        PendingCall waiting = any == null ? null : roster.pending().remove(any);
        if (any == null || waiting == null) {
            return null;
        }
        takes(roster, any, (CallKey.Message) key, now);
        forget(waiting);
        return waiting.said().get(roster.receiverOf(key));
    }

    /** A receive from any has found a message: those behind it that name the sender are for the ones after. */
    private void takes(LeaderGroup roster, CallKey.Message any, CallKey.Message message, long now) {
        int receiver = roster.receiverOf(message);
        List<CallKey.Message> behind = roster.messages().behind(any, message);
        List<CallKey> before = behind.stream().map(each -> roster.messages().keyOf(receiver, each)).toList();
        roster.messages().takes(any, message);
        List<Notice.Ready> again = new ArrayList<>();
        for (int i = behind.size() - 1; i >= 0; i--) {
            PendingCall waiting = roster.pending().get(before.get(i));
            FailedCall failed = roster.failed().remove(before.get(i));
            if (failed != null) {
                roster.failed().put(roster.messages().keyOf(receiver, behind.get(i)), failed);
            }
            if (waiting != null) {
                roster.pending().remove(before.get(i));
                forget(waiting);
                again.addFirst(waiting.said().get(receiver));
            }
        }
        again.forEach(each -> ready(roster, receiver, roster.messages().keyOf(receiver, each.key()), each, now));
    }

    private void ready(LeaderGroup roster, int from, CallKey key, Notice.Ready ready, long now) {
        FailedCall known = roster.failed().get(key);
        if (known != null) {
            known.ready(from);
            send(from, new Notice.Failed(ready.key(), known.cause(), known.level()));
            return;
        }
        PendingCall gathering = roster.pending().computeIfAbsent(key, ignored -> new PendingCall(key, roster));
        gathering.ready(from, ready);
        if (!runs.tellEndOf(gathering, this::failPart) && !disputesRun(from, gathering, key, now)) {
            gathered(gathering, now);
        }
    }

    private void gathered(PendingCall gathering, long now) {
        if (LeaderMessages.isFromAny(gathering.key())) {
            return;
        }
        if (gathering.differs()) {
            disputes.begin(gathering, now);
            if (gathering.isComplete()) {
                settle(gathering, now);
            }
        } else if (gathering.isComplete()) {
            announcements.add(gathering);
        } else {
            ask(gathering.key(), now);
        }
    }

    /** {@return whether a call that a rank is ready for has failed because a composite call is something else on another rank} */
    private boolean disputesRun(int from, PendingCall gathering, CallKey key, long now) {
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
        runDisputes.begin(disputed, now);
        LeaderGroup roster = groups.get(GroupKey.of(disputed));
        if (roster != null && called(disputed).keySet().containsAll(roster.members())) {
            settleRun(disputed);
        }
        return !gathering.roster().pending().containsKey(key);
    }

    /** {@return the call that waits under the identity of a composite call's run, or null} */
    private @Nullable PendingCall plain(CallKey.Ticket run) {
        LeaderGroup roster = groups.get(GroupKey.of(run));
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

    private void settleRun(CallKey.Ticket run) {
        runDisputes.remove(run);
        Map<Integer, String> called = called(run);
        LeaderGroup roster = groups.get(GroupKey.of(run));
        if (!called.isEmpty()) {
            Failure cause = FailureTexts.otherComposite(run, roster == null ? List.copyOf(called.keySet()) : roster.members(), called);
            runs.failed(run, cause);
            failParts(run, cause);
            PendingCall plain = plain(run);
            if (plain != null) {
                failPart(plain, cause, 0);
            }
        }
    }

    /** No call of a run comes from a member any more. */
    private void over(int from, Notice.Over over) {
        if (over.failed()) {
            runs.failed(over.run(), over.cause());
            runDisputes.remove(over.run());
            failParts(over.run(), over.cause());
        } else {
            runs.over(over.run(), from, over.cause());
        }
        for (PendingCall call : runs.partsOf(over.run())) {
            if (call.lacks(from)) {
                failPart(call, over.cause(), LeaderRuns.level(call.key(), over.run()));
            }
        }
        PendingCall plain = plain(over.run());
        if (plain != null && plain.lacks(from)) {
            failPart(plain, over.cause(), 0);
        }
        groups.values().forEach(roster -> roster.over(from, over.run()));
    }

    private void failParts(CallKey.Ticket run, Failure cause) {
        runs.partsOf(run).forEach(call -> failPart(call, cause, LeaderRuns.level(call.key(), run)));
    }

    /** Fails a call that waits, for all who are ready for it; for who comes later it is remembered why its run has ended. */
    private void failPart(PendingCall call, Failure cause, int level) {
        CallKey key = call.key();
        call.roster().pending().remove(key);
        forget(call);
        call.roster().failed().put(key, new FailedCall(cause, level, call.said().keySet()));
        call.said().forEach((rank, ready) -> send(rank, new Notice.Failed(ready.key(), cause, level)));
    }

    /** A call waits no more. */
    private void forget(PendingCall call) {
        announcements.remove(call);
        disputes.remove(call);
        asks.remove(call.key());
        runs.forget(call);
        call.roster().messages().vanish(call.key());
    }

    private void ask(CallKey key, long now) {
        if (key.enclosure() != null || key.step() != CallKey.NO_STEP) {
            asks.begin(key, now);
        }
    }

    /** Asks the members that have not spoken of a call whether they will. */
    private void askSilent(CallKey key) {
        LeaderGroup roster = groups.get(GroupKey.of(key));
        PendingCall call = roster == null ? null : roster.pending().get(key);
        FailedCall failed = roster == null ? null : roster.failed().get(key);
        if (call != null) {
            call.missing().forEach(rank -> send(rank, new Notice.Wanted(key)));
        } else if (failed != null) {
            for (int rank : failed.silent()) {
                send(rank, new Notice.Wanted(key));
            }
        }
    }

    private void settle(PendingCall dispute, long now) {
        fail(dispute.roster(), dispute.key(), FailureTexts.mismatch(dispute.key(), dispute.members(), dispute.said()), now);
    }

    /** Fails a call that is not announced, for all who are ready for it and for all who will be. */
    private void fail(LeaderGroup roster, CallKey key, Failure cause, long now) {
        if (roster.failed().containsKey(key)) {
            return;
        }
        PendingCall gathering = roster.pending().remove(key);
        FailedCall verdict = new FailedCall(cause, 0, gathering == null ? List.of() : gathering.said().keySet());
        roster.membersOf(key).stream().filter(rank -> !runs.isOver(key, rank)).forEach(verdict::await);
        if (verdict.isAwaited()) {
            roster.failed().put(key, verdict);
        }
        if (gathering != null) {
            forget(gathering);
        }
        ask(key, now);
        for (int rank : roster.membersOf(key)) {
            // A receive behind one from any may be for a later message when that comes: its sender hears of it then, and no other before.
            if (key instanceof CallKey.Ticket || gathering != null && !gathering.lacks(rank)) {
                send(rank, new Notice.Failed(gathering == null ? key : gathering.keyOn(rank), cause));
            }
        }
    }

    /** A member will not speak of a failed call again. */
    private void lastWord(LeaderGroup roster, CallKey key, int from) {
        FailedCall verdict = roster.failed().get(key);
        if (verdict != null && verdict.lastWord(from)) {
            roster.failed().remove(key);
        }
        if (roster.failed().size() > MOST_FAILED) {
            // To forget one would leave a late subscriber waiting for nobody.
            end(new Notice.Ended(roster.group(), FailureTexts.tooManyFailures(roster.group(), MOST_FAILED), false));
        }
    }

    /**
     * A member cannot do its part in a call for which it was ready: if the others have been told to begin, that is the end of the group.
     */
    private void withdrawn(int from, Notice.Failed withdrawn, long now) {
        LeaderGroup roster = roster(from, GroupKey.of(withdrawn.key()));
        if (roster == null) {
            return;
        }
        roster.messages().require(from, withdrawn.key());
        CallKey key = roster.messages().keyOf(from, withdrawn.key());
        if (roster.pending().containsKey(key)) {
            fail(roster, key, withdrawn.cause(), now);
        }
        if (roster.failed().containsKey(key)) {
            lastWord(roster, key, from);
            roster.messages().forget(withdrawn.key());
        } else {
            end(new Notice.Ended(roster.group(), withdrawn.cause(), true));
        }
    }

    /** A member's checks have failed. A receive from any has no place that others would meet. */
    private void refused(int from, Notice.Refused refused, long now) {
        LeaderGroup roster = roster(from, GroupKey.of(refused.key()));
        if (roster == null || LeaderMessages.isFromAny(refused.key())) {
            return;
        }
        roster.messages().require(from, refused.key());
        CallKey key = roster.messages().keyOf(from, refused.key());
        Notice.Ready taker = taker(roster, from, key, now);
        roster.messages().posted(from, refused.key());
        fail(roster, key, refused.cause(), now);
        lastWord(roster, key, from);
        if (taker != null) {
            ready(roster, roster.receiverOf(key), key, taker, now);
        }
    }

    /** The other end of a message will not be made; whoever makes it later asks again. */
    private void leftOut(int from, Notice.LeftOut leftOut) {
        PendingCall waiting = pending(from, leftOut.key());
        if (waiting != null && waiting.lacks(from)) {
            failPart(waiting, leftOut.cause(), 0);
        }
    }

    private void ended(int from, Notice.Ended end) {
        roster(from, end.group());
        end(end);
    }

    /** Ends a group, or abandons one that had ended more gently. */
    private void end(Notice.Ended end) {
        LeaderGroup live = groups.remove(end.group());
        LeaderGroup roster = live == null ? ended.get(end.group()) : live;
        if (roster == null || (live == null && (roster.end().abandoned() || !end.abandoned()))) {
            return;
        }
        roster.pending().values().forEach(this::forget);
        roster.end(end);
        if (end.abandoned()) {
            communicators.abandoned(end.group());
        }
        ended.put(end.group(), roster);
        roster.members().forEach(rank -> send(rank, end));
    }

    private void send(int rank, Notice notice) {
        if (!gone.containsKey(rank)) {
            mail.send(rank, notice);
        }
    }

    private void asked(int from, CallKey key) {
        LeaderGroup roster = roster(from, GroupKey.of(key));
        PendingCall gathering = roster == null ? null : roster.pending().get(roster.messages().keyOf(from, key));
        if (gathering != null) {
            gathering.asked(from);
            answer(gathering, from);
            askSilent(gathering.key());
        }
    }

    private @Nullable PendingCall pending(int from, CallKey key) {
        LeaderGroup roster = roster(from, GroupKey.of(key));
        return roster == null ? null : roster.pending().get(key);
    }

    private void answer(PendingCall gathering, int asker) {
        send(asker, new Notice.Waiting(gathering.keyOn(asker), gathering.missing(), gathering.latest()));
    }

    /** Whoever has asked who is missing hears that a member has the call and has not subscribed to it. */
    private void assembled(int from, CallKey.Ticket key) {
        PendingCall gathering = pending(from, key);
        if (gathering != null && gathering.assembled(from)) {
            gathering.askers().forEach(asker -> answer(gathering, asker));
        }
    }

    /**
     * A rank has left, or cannot be reached: its groups end.
     *
     * @param abandoned whether what runs in them fails too, because the rank has not said that it has done its part
     */
    void gone(int rank, Failure cause, boolean abandoned) {
        if (gone.putIfAbsent(rank, cause) == null) {
            for (LeaderGroup roster : List.copyOf(groups.values())) {
                if (roster.members().contains(rank)) {
                    end(new Notice.Ended(roster.group(), cause, abandoned));
                }
            }
            communicators.left(rank);
        }
    }

    /** Announces what became ready everywhere in this round. */
    void announce() {
        announcements.send(call -> {
            communicators.require(call.roster());
            call.roster().pending().remove(call.key());
            asks.remove(call.key());
            runs.forget(call);
            call.said().values().forEach(ready -> call.roster().messages().forget(ready.key()));
        });
    }

    /** The time of {@link #next} has come. */
    void time(long now) {
        disputes.due(now).forEach(dispute -> settle(dispute, now));
        runDisputes.due(now).forEach(this::settleRun);
        asks.due(now).forEach(this::askSilent);
    }

    /** {@return when {@link #time} has something to do, or {@link #NEVER}} */
    long next() {
        return Math.min(disputes.next(), Math.min(runDisputes.next(), asks.next()));
    }

    /** This rank leaves the world, and the order ends for all. */
    void close() {
        for (int rank = 0; rank < worldSize; rank++) {
            if (rank != RANK) {
                send(rank, new Notice.Left());
            }
        }
    }

    /** {@return communicators that are open} */
    int communicators() {
        return communicators.size();
    }

    /** {@return failed calls of which some member has not spoken yet} */
    int failed() {
        return groups.values().stream().mapToInt(roster -> roster.failed().size()).sum();
    }

    /** {@return calls that are neither announced nor failed} */
    int pending() {
        return groups.values().stream().mapToInt(roster -> roster.pending().size()).sum();
    }
}

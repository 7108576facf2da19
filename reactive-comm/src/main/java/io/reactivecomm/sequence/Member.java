package io.reactivecomm.sequence;

import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.base.DrainLoop;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One rank's part: says what is ready here, hands calls to the engine when their turn comes, and ends those whose turn does not come.
 *
 * <pre>
 *   submit ── Ready ──&gt; WAITING ── Batch ──&gt; RUNNING ── the engine's end ──&gt; ended
 *                          │                    │ the engine fails it, or its deadline: the group is abandoned, on all members
 *                          │                    └─────────────────────────────────────&gt; the engine ends it, or is not waited for
 *                          └ Failed, Ended, deadline, close ─────────────────────────&gt; failed
 * </pre>
 *
 * <p>A call may be withdrawn here while the leader announces it: then the others have begun what this rank never will, so the group is
 * abandoned too. A state machine: (state, event, now) → effects.
 *
 * <p><b>Threads.</b> One at a time: it belongs to {@link DrainLoop}.
 */
final class Member {

    /** Waiting calls that the leader is asked about at once: the oldest tell enough, and a thousand questions would be a storm. */
    private static final int MOST_ASKED = 16;

    private final int rank;
    private final Effects effects;
    private final Alarms alarms = new Alarms();
    private final MemberGroups shares;
    private final MemberAnswers answers;
    private long submitted;
    private long nextBatch;

    /** The actions of a member. */
    interface Effects {

        /** Tells the leader. */
        void send(Notice notice);

        /** Hands calls to the engine, in this order. */
        void run(List<MemberCall> batch);

        /** Hands the opening of a group to the engine. */
        void open(GroupOpening opening);

        /** Hands the freeing of a group to the engine. */
        void free(GroupOpening opening);

        /** Ends a call that the engine was not given. */
        void fail(CollectiveEngine.Sink sink, Failure cause);

        /** Ends such a call with a run of a composite call that fails. */
        void failRun(CollectiveEngine.Sink sink, CallKey.Ticket run, Failure cause);

        /** Tells the engine that what runs in a group is to fail. @param running the calls of it that the engine was given */
        void abandon(EngineGroup group, Failure cause, List<MemberCall> running);

        /** Tells the rank that a group has failed on its engine. */
        void failed(GroupKey group, Failure cause);

        /** Tells people. */
        void warn(String text);
    }

    Member(int rank, int slots, Effects effects) {
        this.rank = rank;
        this.effects = effects;
        this.shares = new MemberGroups(rank, slots, effects, alarms);
        this.answers = new MemberAnswers(shares, effects);
    }

    /** A call was subscribed to. */
    void submit(EngineCall call, CollectiveEngine.Sink sink, long now) {
        CallKey key = call.key();
        answers.made(key);
        Failure why = shares.end(call.group());
        if (why != null) {
            effects.fail(sink, FailureTexts.during(why, call, key));
            return;
        }
        MemberGroup share = shares.of(call.group());
        MemberCall entry = new MemberCall(call, sink, key, share, now, submitted++);
        if (share.calls().putIfAbsent(key, entry) != null) {
            effects.fail(sink, FailureTexts.internal(rank, "an identity was submitted twice", key));
            return;
        }
        alarms.add(entry);
        Signature signature = call.collective().signature();
        String words = call.collective().describe();
        String description = words.equals(signature.describe()) ? "" : words;
        effects.send(new Notice.Ready(
                key, call.priority(), call.sharesMemory(), signature, description, Exchanges.of(call)));
    }

    /** A call failed its checks on this rank. */
    void refused(EngineGroup group, CallKey key, Failure cause) {
        answers.made(key);
        if (shares.end(group) == null) {
            shares.of(group);
            effects.send(new Notice.Refused(key, cause));
        }
    }

    /** A message for this rank goes over another engine: which receive it fails is the leader's to say, who knows what those from any took. */
    void sentElsewhere(EngineGroup group, CallKey.Message message, Failure cause) {
        if (shares.end(group) == null) {
            shares.of(group);
            effects.send(new Notice.SentElsewhere(message, cause));
        }
    }

    /** A call has failed by the word of other ranks, who did something else; one that runs was begun by all. */
    void fail(CallKey key, Failure cause) {
        MemberCall entry = waiting(key);
        if (entry != null) {
            withdraw(entry, cause);
        }
    }

    /** No call of a run comes from here any more, because its body is over; who is known to wait for one is told. */
    void compositeOver(CallKey.Ticket run, Function<String, Failure> cause) {
        answers.compositeOver(run, cause);
    }

    /** A run has failed here, and will on all ranks. */
    void compositeFailed(CallKey.Ticket run, Failure cause) {
        answers.compositeFailed(run, cause);
    }

    /** The program has begun another step of a group. */
    void stepped(EngineGroup group) {
        if (shares.end(group) == null) {
            shares.of(group);
            answers.stepped(group);
        }
    }

    /** The engine has ended a call that it was given. */
    void ended(MemberCall entry, @Nullable Failure cause) {
        shares.forget(entry);
        if (cause != null) {
            shares.failed(entry.share(), cause);
        }
    }

    /**
     * Takes a notice of the leader's.
     *
     * @throws ProtocolException if it makes no sense; the leader is to be taken for {@link #leaderGone}
     */
    void take(Notice notice) {
        if (shares.areOver()) {
            return;
        }
        switch (notice) {
            case Notice.Batch batch -> begin(batch);
            case Notice.Failed failed -> failed(failed);
            case Notice.Ended end -> shares.settle(end);
            case Notice.Waiting waiting -> answered(waiting);
            case Notice.Left left -> leaderLeft(left.cause());
            case Notice.Wanted wanted -> answers.wanted(wanted.key());
            case Notice.Opening opening -> {
                inOrder(opening.number());
                shares.open(opening);
            }
            case Notice.Freeing freeing -> {
                inOrder(freeing.number());
                shares.openings().free(freeing);
            }
            case Notice.Done ignored -> throw senseless(notice);
            case Notice.Closed ignored -> throw senseless(notice);
            case Notice.Introduced ignored -> throw senseless(notice);
            case Notice.Over ignored -> throw senseless(notice);
            case Notice.Ready ignored -> throw senseless(notice);
            case Notice.Refused ignored -> throw senseless(notice);
            case Notice.LeftOut ignored -> throw senseless(notice);
            case Notice.SentElsewhere ignored -> throw senseless(notice);
            case Notice.Assembled ignored -> throw senseless(notice);
            case Notice.Asked ignored -> throw senseless(notice);
        }
    }

    private static ProtocolException senseless(Notice notice) {
        return new ProtocolException("a notice came the wrong way: notice=" + notice);
    }

    private void inOrder(long number) {
        if (number < nextBatch) {
            throw new ProtocolException(
                    "a batch came out of its order: batch=" + number + ", expected=" + nextBatch + " or later");
        }
        nextBatch = number + 1;
    }

    /** Reads all places before anything begins: a group that turns out to be in disorder has none of its calls begun. */
    private void begin(Notice.Batch batch) {
        inOrder(batch.number());
        List<CallKey> keys = new ArrayList<>();
        for (NameReference place : batch.places()) {
            MemberGroup share = shares.find(place.group());
            if (share == null) {
                throw new ProtocolException(
                        "a call was announced of a group that this rank is not in: group=" + place.group());
            }
            CallKey key = place instanceof NameReference.Paired paired
                    ? meet(share, paired)
                    : share.ring().read(place);
            keys.add(key);
            if (share.ended() == null && waiting(key) == null) {
                Failure why = share.withdrawn().get(key);
                shares.end(
                        share,
                        why == null ? FailureTexts.internal(rank, "a call was announced that is not ready", key) : why);
            }
        }
        begin(keys);
    }

    /** {@return what this rank calls a message whose ends have met} */
    private CallKey meet(MemberGroup share, NameReference.Paired paired) {
        answers.made(paired.message());
        MemberCall entry = share.calls().get(paired.end());
        if (entry != null) {
            entry.meets(paired);
        }
        return paired.end();
    }

    private void begin(List<CallKey> keys) {
        List<MemberCall> begun = new ArrayList<>();
        for (CallKey key : keys) {
            MemberCall entry = waiting(key);
            if (entry != null) {
                entry.run();
                begun.add(entry);
            }
        }
        if (!begun.isEmpty()) {
            effects.run(begun);
        }
    }

    /** {@return the call that waits for its turn under that identity, or null} */
    private @Nullable MemberCall waiting(CallKey key) {
        MemberGroup share = shares.find(GroupKey.of(key));
        MemberCall entry = share == null ? null : share.calls().get(key);
        return entry == null || entry.isRunning() ? null : entry;
    }

    private void failed(Notice.Failed failed) {
        MemberGroup share = shares.find(GroupKey.of(failed.key()));
        if (share != null) {
            share.withdrawn().remove(failed.key());
        }
        MemberCall entry = waiting(failed.key());
        if (entry != null) {
            shares.forget(entry);
            // The leader knows the text, and many calls may fail at once.
            effects.send(new Notice.Failed(
                    failed.key(),
                    new Failure(failed.cause().kind(), failed.cause().culprit(), "")));
            if (failed.level() == 0) {
                effects.fail(entry.sink(), failed.cause());
            } else {
                effects.failRun(entry.sink(), LeaderRuns.at(entry.key(), failed.level()), failed.cause());
            }
        }
    }

    private void answered(Notice.Waiting answer) {
        MemberCall entry = waiting(answer.key());
        if (entry != null) {
            entry.answered(answer);
        }
    }

    /** A group was aborted or a rank of it lost. */
    void failGroup(EngineGroup group, Failure cause) {
        shares.end(group, cause);
    }

    /** This rank closes a group, perhaps one of which it made no call: the others may wait for one. */
    void closeGroup(EngineGroup group) {
        if (shares.find(GroupKey.of(group)) != null || shares.end(group) == null) {
            shares.close(shares.of(group));
        }
        shares.openings().close(GroupKey.of(group));
    }

    /** The engine has ended an opening that it was given. */
    void openingEnded(GroupOpening opening, @Nullable Failure cause) {
        shares.opened(opening, cause);
    }

    /** This rank leaves the world; the engine is told after that, and ends what runs. */
    void close() {
        shares.openings().clear();
        shares.all().forEach(shares::close);
        shares.over(FailureTexts.closed(rank));
        effects.send(new Notice.Left());
    }

    /**
     * Nobody decides the order any more: what waits fails.
     *
     * @param abandoned whether what runs fails too, because other ranks may not have learned that its turn has come
     */
    void leaderGone(Failure cause, boolean abandoned) {
        if (!shares.areOver()) {
            shares.over(cause);
            shares.all()
                    .forEach(share ->
                            shares.settle(share, new Notice.Ended(GroupKey.of(share.group()), cause, abandoned)));
            shares.openings().leaderGone(cause, abandoned);
        }
    }

    private void leaderLeft(@Nullable Failure fault) {
        if (fault == null) {
            leaderGone(FailureTexts.leaderDeparted(), false);
        } else {
            leaderGone(fault, true);
        }
    }

    /** This rank cannot go on: everything fails, on all ranks that have to do with it. */
    void giveUp(Failure cause) {
        shares.all().forEach(share -> shares.end(share, cause));
        shares.openings().leaderGone(cause, true);
        shares.over(cause);
        effects.send(new Notice.Left(cause));
    }

    /** The time of {@link #next} has come. */
    void time(long now) {
        int asked = 0;
        for (MemberCall entry = alarms.due(now); entry != null; entry = alarms.due(now)) {
            if (entry.deadline() <= now) {
                expire(entry, now);
            } else {
                if (!entry.isRunning() && asked++ < MOST_ASKED) {
                    ask(entry, now);
                }
                entry.attended(now);
                alarms.add(entry);
            }
        }
    }

    private void ask(MemberCall entry, long now) {
        if (!entry.missing().isEmpty()) {
            effects.warn(FailureTexts.stalled(entry, now - entry.startedAt()));
        }
        effects.send(new Notice.Asked(entry.key()));
    }

    private void expire(MemberCall entry, long now) {
        if (!entry.isRunning()) {
            withdraw(entry, FailureTexts.timeout(entry));
        } else if (entry.share().isAbandoned()) {
            entry.forsake(FailureTexts.unended(entry));
        } else {
            entry.lastChance(now);
            alarms.add(entry);
            shares.end(entry.share(), FailureTexts.stuck(entry));
        }
    }

    /** Fails a call that waits, and tells the leader, which may have announced it meanwhile. */
    private void withdraw(MemberCall entry, Failure cause) {
        shares.forget(entry);
        entry.share().withdrawn().put(entry.key(), cause);
        effects.fail(entry.sink(), cause);
        effects.send(new Notice.Failed(entry.key(), cause));
    }

    /** {@return when {@link #time} has something to do, or {@link Leader#NEVER}} */
    long next() {
        return alarms.next();
    }

    /** {@return the calls of a group that the engine was given and has not ended} */
    List<MemberCall> running(EngineGroup group) {
        MemberGroup share = shares.find(GroupKey.of(group));
        return share == null ? List.of() : share.running();
    }

    /** {@return all such calls} */
    List<MemberCall> running() {
        return shares.all().stream().flatMap(share -> share.running().stream()).toList();
    }

    /** {@return calls that have not ended} */
    int calls() {
        return shares.all().stream().mapToInt(share -> share.calls().size()).sum();
    }

    /** {@return calls given up here of which the leader has not said so too} */
    int withdrawn() {
        return shares.all().stream().mapToInt(share -> share.withdrawn().size()).sum();
    }

    /** {@return groups of which the engine holds something} */
    int opened() {
        return shares.openings().size();
    }

    /** {@return groups of which more may be heard} */
    int groups() {
        return shares.all().size();
    }
}

package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.observe.CallRecords;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The runs of composite calls on this rank, from their beginning to their end.
 *
 * <p>A run has no frames of its own as long as all goes well: the calls inside carry its identity. So a rank learns from them alone that a peer
 * does something else under that identity, or makes a call that this rank, whose body is over, has not made.
 *
 * <pre>
 *   a peer's opening in a run that here is   OPEN or not begun  it waits for its call
 *                                            LEFT or over       the run fails on all: its body made fewer calls here
 *                                            FAILED             the call fails on all that have begun it
 * </pre>
 *
 * <p>When a run fails, calls that all ranks have begun run to their end. Whoever has not begun one cannot any more, and answers its opening for
 * all. So a call inside either succeeds where it can, or fails everywhere. Owned by the loop.
 */
final class Composites {

    private final World world;
    private final Calls calls;
    private final Messages messages;
    private final Signals signals;
    private final ForeignCalls foreign;
    private final Map<CallKey.Ticket, Composite> live = new HashMap<>();
    private final TreeSet<Composite> byDeadline =
            new TreeSet<>(Comparator.comparingLong(Composite::deadline).thenComparingLong(Composite::number));
    private final WaitingParts waiting;
    private final Composite.EndedRuns over;
    private long begun;

    Composites(World world, Calls calls, Messages messages, ForeignCalls foreign, Signals signals) {
        this.world = world;
        this.calls = calls;
        this.messages = messages;
        this.foreign = foreign;
        this.signals = signals;
        this.over = new Composite.EndedRuns(calls.limits().tombstones(), messages::forgetPartsOf);
        this.waiting = new WaitingParts(world, calls, messages);
        calls.answerParts(waiting::fail);
    }

    int size() {
        return live.size();
    }

    @Nullable Composite find(CallKey key) {
        return live.isEmpty() || !(key instanceof CallKey.Ticket run) ? null : live.get(run);
    }

    /** {@return the runs under way, for a look at them during which some may end} */
    List<Composite> snapshot() {
        return List.copyOf(live.values());
    }

    /** {@return what runs here under an identity, for a list of who called what; empty if nothing} */
    String running(CallKey key) {
        Call call = calls.find(key);
        if (call != null) {
            return call.description();
        }
        Composite run = find(key);
        return run == null ? foreign.describe(key) : run.description();
    }

    /** A body begins. */
    void begin(Composite run) {
        run.begin(begun++, this::through);
        Failure ended = run.group().refusal();
        Failure known = whyFailed(run);
        Composite outer = run.outer();
        if (ended != null) {
            refused(run, ended);
        } else if (known != null) {
            refused(run, known);
        } else if (outer == null || outer.isOpen()) {
            admitted(run, outer);
        } else {
            refusedIn(run, outer);
        }
    }

    private void refusedIn(Composite run, Composite outer) {
        Failure failure = outer.failure();
        if (failure != null) {
            refused(run, failure);
        } else {
            refused(run, Failures.compositeClosed(world.rank(), outer));
        }
    }

    private void refused(Composite run, Failure failure) {
        Failure own = Verdict.withOwn(failure, world.rank(), run.key(), run::description);
        run.fail(own);
        signals.add(() -> run.sink().stopped(own));
        run.endIfThrough();
    }

    private void admitted(Composite run, @Nullable Composite outer) {
        live.put(run.key(), run);
        if (run.hasDeadline()) {
            byDeadline.add(run);
        }
        if (outer != null) {
            outer.partBegins();
        }
    }

    /** Tells the subscriber of a call that it came when its composite was over. */
    void refuseCall(Composite run, CallSink sink) {
        Failure failure = run.failure();
        if (failure != null) {
            signals.failed(sink, failure);
        } else {
            signals.failed(sink, Failures.compositeClosed(world.rank(), run));
        }
    }

    /** A call that another engine performs begins in a run. {@return whether it may} */
    boolean beginsElsewhere(Composite run, CallSink sink) {
        if (run.isOpen()) {
            run.partBegins();
            return true;
        }
        refuseCall(run, sink);
        return false;
    }

    /** A call failed elsewhere because a run that it is in has. */
    void failedElsewhere(Composite within, CallKey.Ticket failed, Failure failure) {
        for (Composite run = within; run != null; run = run.outer()) {
            if (run.key().equals(failed)) {
                failedEverywhere(run, failure);
                return;
            }
        }
    }

    /** A run could not begin here: a bad argument, of which all ranks are told. */
    void refuse(Composite run, Failure failure) {
        run.begin(begun++, this::through);
        neverBegins(run.key(), failure);
        refused(run, failure);
    }

    /**
     * A body is over: no further call begins.
     *
     * @param cause what is said to ranks that need more of it, or null if it has completed
     */
    void left(Composite run, @Nullable Failure cause) {
        if (!run.isOpen()) {
            return;
        }
        run.leave(cause);
        run.sink().left(cause);
        if (waiting.isAnyIn(run.key())) {
            failBecauseOver(run, waiting.labelIn(run.key()));
        } else {
            run.endIfThrough();
        }
    }

    /** Ranks need more of a run than its body did here. @param missing some of that, for people */
    private void failBecauseOver(Composite run, String missing) {
        Failure cause = run.over();
        if (cause != null) {
            failedEverywhere(run, cause);
        } else {
            failedEverywhere(run, Failures.compositeOver(world.rank(), run.operation(), run.label(), missing));
        }
    }

    /** Fails a run on all ranks; what all have begun in it runs to its end. */
    void failedEverywhere(Composite run, Failure failure) {
        if (run.isUnfinished()) {
            waiting.tellFailure(run.key(), failure);
            fail(run, failure);
        }
    }

    /** {@return why a run failed before it began here, or null if that does not concern it} */
    private @Nullable Failure whyFailed(Composite run) {
        Failure known = calls.tombstones().find(run.key());
        boolean isOff = known != null
                && SwitchFailures.isDifference(known)
                && run.group().assembled().whyOff(run.key()) != null;
        return isOff ? null : known;
    }

    /** A run is off here, and peers may be in it: it fails for them. */
    void answerOff(CallKey.Ticket run, Failure off) {
        GroupState group = world.group(run.group());
        if (group != null) {
            world.tell(group, new Frame.Abort(run, off));
        }
        waiting.fail(run, off);
    }

    /** Answers for what waits here in runs of a group that are off. */
    void answerIfOff(GroupState group) {
        for (CallKey.Ticket run : waiting.runsOf(group)) {
            Failure off = group.assembled().whyOff(run);
            if (off != null) {
                answerOff(run, off);
            }
        }
    }

    /** Fails a call that a peer has opened and this rank will not begin, for all who have. */
    void refuse(Peer peer, CallKey key, Failure failure) {
        waiting.refuse(peer, key, failure);
    }

    /** Peers are in a run that this rank will not begin. */
    void neverBegins(CallKey.Ticket run, Failure why) {
        waiting.tellFailure(run, why);
        waiting.fail(run, why);
    }

    /** A call has failed by the word of another rank, which it has told to all: it may be one of ours, or one that encloses calls that wait here. */
    void failed(CallKey key, Failure failure) {
        Composite run = find(key);
        if (run != null) {
            fail(run, failure);
        } else if (key instanceof CallKey.Ticket unknown) {
            waiting.fail(unknown, failure);
        }
    }

    /** Tells a peer, or whoever is in a composite around it, why a call has failed. */
    void tell(Peer peer, CallKey key, Failure failure) {
        waiting.tellRunsAround(key);
        peer.tell(new Frame.Abort(key, failure));
    }

    /** Tells all ranks why a call has failed. */
    void tell(GroupState group, CallKey key, Failure failure) {
        waiting.tellRunsAround(key);
        world.tell(group, new Frame.Abort(key, failure));
    }

    private void fail(Composite run, Failure failure) {
        if (!run.isUnfinished()) {
            return;
        }
        waiting.remember(run.key(), failure);
        Failure own = Verdict.withOwn(failure, world.rank(), run.key(), run::description);
        run.fail(own);
        signals.add(() -> run.sink().stopped(own));
        for (Composite inner : snapshot()) {
            if (inner.outer() == run) {
                fail(inner, failure);
            }
        }
        waiting.fail(run.key(), failure);
        for (Call call : calls.live().snapshot()) {
            if (call.submission().within() == run && waitsForCredit(call)) {
                // Its receiver hears of it when its turn comes.
                waiting.tellFailed(run.key());
                calls.failed(call, failure);
            } else if (call.submission().within() == run) {
                repeatDropped(call);
            }
        }
        run.endIfThrough();
    }

    /** {@return whether a peer has not heard of a message, and so can have no receive that it is for} */
    private static boolean waitsForCredit(Call call) {
        return call.submission().address() instanceof Submission.Address.To
                && !call.partners().get(0).hasOpened();
    }

    /**
     * Repeats the openings that peers did not keep of a call in a run that has failed: they answer those of calls that they cannot begin any more, and
     * would open none by themselves. Those that they dropped they answer unasked as far as they remember them, which in a large body is not all.
     */
    void repeatDropped(Call call) {
        Composite within = call.submission().within();
        if (within == null || within.isUnfinished() || !call.isRunning()) {
            return;
        }
        for (int i = 0; i < call.partners().size(); i++) {
            Partner partner = call.partners().get(i);
            if (partner.wasDropped()) {
                world.openings(partner.peer).repeat(partner);
            }
        }
    }

    /** Nothing of a run is under way here any more. */
    private void through(Composite run) {
        boolean wasLive = live.remove(run.key(), run);
        if (run.hasDeadline()) {
            byDeadline.remove(run);
        }
        Failure failure = run.failure();
        if (failure == null) {
            over.add(run);
            waiting.forgetWanted(run.key());
        }
        String what = run.operation();
        calls.recorder()
                .endedBeside(run.key(), () -> what, failure)
                .lasted(run.startedAt(), calls.now())
                .by(CallRecords.COMPOSITE, "");
        signals.add(() -> run.sink().ended(failure));
        Composite outer = run.outer();
        if (wasLive && outer != null) {
            outer.partEnded();
        }
    }

    /**
     * {@return whether a peer's opening, which no call here is for, may wait for one; otherwise it has been answered}
     * A call that has failed by itself has been made, though the body may be over meanwhile.
     */
    boolean admits(Peer peer, CallKey key) {
        Failure failure = whyRefused(key);
        if (failure != null) {
            waiting.refuse(peer, key, failure);
        }
        return failure == null;
    }

    private @Nullable Failure whyRefused(CallKey key) {
        boolean hasFailed = key.enclosure() != null
                && key instanceof CallKey.Ticket
                && calls.tombstones().find(key) != null;
        if (hasFailed || key instanceof CallKey.Ticket call && tellIfOver(call, key.label())) {
            return calls.tombstones().find(key);
        }
        return wasMade(key) || isHere(key) ? null : whyOver(key.enclosure(), key.label());
    }

    /** {@return whether something goes on here under an identity: what peers do otherwise under it waits for the verdict} */
    private boolean isHere(CallKey key) {
        Composite run = find(key);
        return calls.find(key) != null
                || foreign.has(key)
                || run != null && run.isUnfinished() && (run.isOpen() || run.isDisputed());
    }

    /**
     * {@return whether a call has ended here before its body was over: that of a peer which disagrees waits for the verdict, and a message whose receive
     * has failed takes that failure}
     */
    private boolean wasMade(CallKey key) {
        Enclosure enclosure = key.enclosure();
        if (enclosure == null) {
            return false;
        }
        if (key instanceof CallKey.Message message && messages.holdsPlaceOf(message)) {
            return true;
        }
        Composite run = live.get(enclosure.run());
        boolean isOver = run == null ? over.find(enclosure.run()) != null : !run.isOpen();
        return isOver && !calls.recorder().describe(key).isEmpty();
    }

    /** {@return why nothing can begin any more in a run; null if it can. A run that is over here, and from which more is wanted, fails for all} */
    private @Nullable Failure whyOver(@Nullable Enclosure enclosure, String missing) {
        for (Enclosure each = enclosure; each != null; each = each.outer()) {
            if (isHere(each.run())) {
                return null;
            }
            Composite run = live.get(each.run());
            if (run == null && !tellIfOver(each.run(), missing)) {
                tellIfGroupIsOver(each.run());
            } else if (run != null && run.isUnfinished()) {
                failBecauseOver(run, missing);
            }
            Failure failure = calls.tombstones().find(each.run());
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    /** {@return whether a run has ended well here; then all hear that it has not done enough} */
    private boolean tellIfOver(CallKey.Ticket run, String missing) {
        Composite.EndedRuns.Ended ended = over.find(run);
        if (ended == null) {
            return false;
        }
        Failure cause = ended.cause();
        if (cause != null) {
            waiting.tellFailure(run, cause);
        } else {
            waiting.tellFailure(run, Failures.compositeOver(world.rank(), ended.operation(), run.label(), missing));
        }
        return true;
    }

    private void tellIfGroupIsOver(CallKey.Ticket run) {
        Failure failure = world.whyEnded(run.group());
        if (failure != null) {
            waiting.tellFailure(run, failure);
        }
    }

    /** A peer has a receive that waits for a message of this rank in a run. */
    void wanted(Peer peer, Frame.Wanted news, Enclosure enclosure) {
        Channel channel = Channel.of(news);
        Composite run = live.get(enclosure.run());
        boolean isKnown = news.number() != Frame.Wanted.NONE;
        boolean isSent = isKnown && run != null && run.messages().hasSent(channel, peer.rank(), news.number());
        world.messages(peer).wanted(channel, !isSent);
        if (isKnown && !isSent && whyOver(enclosure, "a send, tag=" + news.tag()) == null) {
            waiting.wanted(new Wanted.Want(channel, peer.rank(), news.number()));
        }
    }

    /** {@return the number of a message that is sent now in a run} @param known the number that it has already, or negative */
    long nextSent(Composite run, Channel channel, Peer peer, long known) {
        long number = run.messages().nextSent(channel, peer.rank(), known);
        waiting.sent(new Wanted.Want(channel, peer.rank(), number));
        return number;
    }

    /** A group has ended on this rank. */
    void groupEnded(GroupState group, Failure failure) {
        for (Composite run : of(group)) {
            fail(run, Failures.during(failure, run));
        }
        waiting.forgetWanted(group);
        // Those that were not begun here: calls in them, also those of other groups, wait for nothing.
        waiting.runsOf(group).forEach(run -> neverBegins(run, failure));
    }

    /** This rank leaves a group: its composites fail everywhere. */
    void leaveGroup(GroupState group, Failure failure) {
        for (Composite run : of(group)) {
            failedEverywhere(run, Failures.during(failure, run));
        }
    }

    private List<Composite> of(GroupState group) {
        List<Composite> found = new ArrayList<>();
        for (Composite run : live.values()) {
            if (run.group() == group) {
                found.add(run);
            }
        }
        return found;
    }

    /** {@return when a run is due, or {@link Deadlines#NEVER}} */
    long next() {
        return byDeadline.isEmpty() ? Deadlines.NEVER : byDeadline.first().deadline();
    }

    void time(long now) {
        while (next() <= now) {
            Composite run = byDeadline.removeFirst();
            Failure cause = run.waitedFor();
            if (cause != null) {
                failedEverywhere(run, cause);
            } else {
                failedEverywhere(run, Failures.compositeTimeout(world.rank(), run));
            }
        }
    }
}

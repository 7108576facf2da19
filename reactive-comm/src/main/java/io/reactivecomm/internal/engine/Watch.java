package io.reactivecomm.internal.engine;

import io.reactivecomm.recorder.WaitingCall;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.PeerNews;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The watch over calls that do not end: it asks the other ranks, warns, and lets deadlines strike. Owned by the loop. */
final class Watch {

    /** Waiting calls that are asked about at once: the oldest tell enough, and a thousand questions would be a storm. */
    private static final int MOST_ASKED = 16;

    /** Calls beyond those are looked at again after this part of the interval. */
    private static final int AGAIN = 8;

    private final World world;
    private final Calls calls;
    private final Composites composites;
    private final Disputes disputes;
    private final Consumer<String> warnings;
    private final Events events;
    /** Who was told that this rank had not issued a call: they are told when it does. The oldest are forgotten. */
    private final Map<CallKey, Set<Peer>> expectant = new LinkedHashMap<>();

    private long askAt = Deadlines.NEVER;
    /** The time of the next warning about calls of a group that wait for the same ranks. One warning stands for all of them. */
    private final Map<Told, Long> toldUntil = new HashMap<>();
    /** When a call that all ranks have issued is told of again: many may be slow at once, and one stands for them. */
    private long slowAgainAt = Long.MIN_VALUE;

    private int slowUntold;

    /** The facts that one warning states for all calls of a group. */
    private record Told(long group, List<Integer> notIssued, List<Integer> silent) {}

    Watch(
            World world,
            Calls calls,
            Composites composites,
            Disputes disputes,
            Consumer<String> warnings,
            Events events) {
        this.world = world;
        this.calls = calls;
        this.composites = composites;
        this.disputes = disputes;
        this.warnings = warnings;
        this.events = events;
    }

    long next() {
        long ask = calls.live().isEmpty() ? Deadlines.NEVER : askAt;
        long due = Math.min(calls.deadlines().next(), composites.next());
        return Math.min(Math.min(due, disputes.next()), ask);
    }

    /** A call has begun: the time to look at waiting calls may come earlier. It is never later than the first question is due. */
    void admitted(Call call) {
        askAt = Math.min(askAt, call.startedAt() + questionInterval(call));
    }

    /** A peer's loop does not turn, or does again. */
    void heldUp(PeerNews.HeldUp news, long now) {
        world.heldUp().take(news, now);
        disputes.settle(now);
        events.heldUp(news);
    }

    /** A peer's clock has been compared with this rank's, which nothing here goes by. */
    void compared(PeerNews.ClockCompared news) {
        events.compared(news);
    }

    /** {@return what a peer says of its loop if that does not turn, or nothing} */
    String heldUp(Peer peer, long now) {
        return world.heldUp().of(peer.rank(), now);
    }

    /** A peer has left or is lost. */
    void gone(Peer peer) {
        world.heldUp().forget(peer.rank());
    }

    void time(long now) {
        for (Call call : calls.deadlines().due(now)) {
            List<Integer> missing = Missing.of(call, world).ranks();
            Failure timeout = CallFailures.timeout(
                    call,
                    world.rank(),
                    missing,
                    otherCalls(call, missing),
                    world.heldUp().among(call.group(), now));
            calls.failedEverywhere(call, timeout);
            Composite within = call.submission().within();
            if (within != null) {
                within.waitedInVain(timeout);
            }
        }
        composites.time(now);
        disputes.settle(now);
        if (askAt <= now) {
            askWhatIsDue(now);
        }
    }

    private void askWhatIsDue(long now) {
        List<Call> toAsk = new ArrayList<>();
        for (Call call : calls.live()) {
            if (nextQuestion(call) <= now && toAsk.size() < MOST_ASKED) {
                toAsk.add(call);
            }
        }
        toAsk.forEach(call -> ask(call, now));
        askAt = Deadlines.NEVER;
        for (Call call : calls.live()) {
            askAt = Math.min(askAt, Math.max(nextQuestion(call), now + questionInterval(call) / AGAIN));
        }
    }

    private long nextQuestion(Call call) {
        CallKey key = call.key();
        if (!(key instanceof CallKey.Ticket) || call.groupSize() == 1) {
            return Deadlines.NEVER;
        }
        Stall stall = call.stall();
        return questionInterval(call) + (stall == null ? call.startedAt() : stall.askedAt());
    }

    private long questionInterval(Call call) {
        return Math.min(calls.limits().stallNanos(), call.submission().timeoutNanos() / 2);
    }

    private void ask(Call call, long now) {
        Stall before = call.stall();
        if (before != null && !before.isSaid()) {
            say(call, before, now);
        }
        call.stalled(new Stall(now, before));
        CallKey key = call.key();
        if (key != null) {
            world.tell(call.group(), new Frame.Query(key, false));
        }
    }

    private void say(Call call, Stall stall, long now) {
        List<Integer> silent = new ArrayList<>();
        for (Peer peer : world.others(call.group())) {
            if (!stall.hasAnswerOf(peer.rank())) {
                silent.add(peer.rank());
            }
        }
        stall.said();
        List<Integer> notIssued =
                Missing.of(call, world).ranks().stream().filter(stall::knows).toList();
        String held = world.heldUp().among(call.group(), now);
        boolean isOnlySlow = notIssued.isEmpty() && silent.isEmpty() && held.isEmpty();
        String others = isOnlySlow
                ? othersThatAreSlow(call, now)
                : othersThatWait(call, new Told(call.group().id(), notIssued, silent), now);
        if (others != null) {
            String text = CallFailures.stalled(
                            call,
                            world.rank(),
                            now - call.startedAt(),
                            notIssued,
                            silent,
                            otherCalls(call, notIssued) + held)
                    + others;
            warnings.accept(text);
            events.waiting(call, notIssued, silent, text);
        }
    }

    /** {@return the end of a warning, or null if it is left out for now} */
    private @Nullable String othersThatAreSlow(Call call, long now) {
        if (now < slowAgainAt) {
            slowUntold++;
            return null;
        }
        String others = slowUntold == 0 ? "" : "; " + slowUntold + " more such warnings were left out";
        slowAgainAt = now + questionInterval(call);
        slowUntold = 0;
        return others;
    }

    /** {@return the end of a warning about calls that wait for the same ranks, or null if it is left out for now} */
    private @Nullable String othersThatWait(Call call, Told told, long now) {
        Stall stall = call.stall();
        long asked = stall == null ? now : stall.askedAt();
        toldUntil.values().removeIf(until -> until <= asked);
        if (toldUntil.putIfAbsent(told, asked + questionInterval(call)) != null) {
            return null;
        }
        int others = 0;
        for (Call each : calls.live()) {
            boolean isSuch = each != call && each.group() == call.group() && each.key() instanceof CallKey.Ticket;
            others += isSuch && !Missing.of(each, world).ranks().isEmpty() ? 1 : 0;
        }
        return others == 0
                ? ""
                : "; " + others + (others == 1 ? " more call of this group waits" : " more calls of this group wait");
    }

    /**
     * {@return a part of a text about missing ranks that wait in other calls of the group; may be empty} They have opened calls that this rank has not begun.
     */
    private String otherCalls(Call call, List<Integer> missing) {
        StringBuilder text = new StringBuilder();
        for (Peer peer : world.others(call.group())) {
            if (missing.contains(peer.rank())) {
                text.append(world.openings(peer).inGroup(call.group().id(), peer.rank()));
            }
        }
        return text.toString();
    }

    /** {@return the oldest calls under way, and whom they wait for; messages behind the others, since a stream waits for its next as long as it likes} */
    List<WaitingCall> oldest(int most, long now) {
        List<WaitingCall> oldest = new ArrayList<>();
        addOldest(oldest, false, most, now);
        addOldest(oldest, true, most, now);
        return oldest;
    }

    private void addOldest(List<WaitingCall> oldest, boolean areMessages, int most, long now) {
        for (Call call : calls.live()) {
            if (oldest.size() == most) {
                return;
            }
            if (!call.group().isControl() && areMessages == !(call.key() instanceof CallKey.Ticket)) {
                oldest.add(call.waiting(Missing.of(call, world).late(), now));
            }
        }
    }

    /** A peer asks what this rank knows of a call. */
    void asked(Peer peer, Frame.Query query) {
        CallKey key = query.key();
        GroupState group = world.group(key.group());
        String latest = group == null ? "" : group.latest();
        String running = composites.running(key);
        String ended = running.isEmpty() ? calls.recorder().describe(key) : "";
        if (!running.isEmpty()) {
            peer.tell(new Frame.Status(key, query.isDispute(), Frame.Status.State.RUNNING, running, latest));
            return;
        }
        if (!ended.isEmpty()) {
            peer.tell(new Frame.Status(key, query.isDispute(), Frame.Status.State.ENDED, ended, latest));
            return;
        }
        String assembled = assembled(key);
        Frame.Status.State state = assembled.isEmpty() ? Frame.Status.State.NOT_ISSUED : Frame.Status.State.ASSEMBLED;
        peer.tell(new Frame.Status(key, query.isDispute(), state, assembled, latest));
        if (group != null) {
            expectant.computeIfAbsent(key, ignored -> new LinkedHashSet<>()).add(peer);
            if (expectant.size() > calls.limits().tombstones()) {
                expectant.remove(expectant.keySet().iterator().next());
            }
        }
    }

    /** {@return which call, or composite call around it, the program has and has not subscribed to; empty if there is none} */
    private String assembled(CallKey key) {
        GroupState group = world.group(key.outermost().group());
        boolean isAssembled = group != null
                && key.outermost() instanceof CallKey.Ticket outermost
                && group.assembled().isUnclaimed(outermost);
        return isAssembled ? key.outermost().label() : "";
    }

    /** This rank has begun a call: who thinks that it has not learns that it has. */
    void begun(Call call, CallKey key) {
        Set<Peer> peers = expectant.remove(key);
        if (peers != null) {
            Frame.Status news = new Frame.Status(
                    key,
                    false,
                    Frame.Status.State.RUNNING,
                    call.description(),
                    call.group().latest());
            peers.stream().filter(Peer::isUp).forEach(peer -> peer.tell(news));
        }
    }

    /** A peer answered. */
    void answered(Peer peer, Frame.Status status, long now) {
        if (status.isDispute()) {
            disputes.answered(
                    status.key(), peer.rank(), status.state() == Frame.Status.State.ASSEMBLED ? "" : status.issued());
        }
        Call call = calls.find(status.key());
        Stall stall = call == null ? null : call.stall();
        if (call != null && status.state() == Frame.Status.State.RUNNING) {
            reopen(call, peer);
        }
        if (call != null && stall != null) {
            stall.answered(peer.rank(), status);
            if (!stall.isSaid() && stall.answers() == call.groupSize() - 1) {
                say(call, stall, now);
            }
        }
        disputes.settle(now);
    }

    /**
     * Repeats an opening that the peer did not keep, now that it runs the call: a peer that runs something else under the same identity may
     * have no reason to open towards this rank.
     */
    private void reopen(Call call, Peer peer) {
        Partner partner = call.partner(peer);
        if (partner != null && partner.wasDropped()) {
            world.openings(peer).repeat(partner);
        }
    }
}

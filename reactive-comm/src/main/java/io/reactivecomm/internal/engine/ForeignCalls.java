package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.observe.CallRecords;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.recorder.WaitingCall;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.link.Frame;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls that other engines than the one over links perform on this rank, by identity, from their beginning to their end: so a peer that gives the same
 * call to links is answered, and does not wait for this rank until its deadline.
 *
 * <p>Owned by the loop.
 */
final class ForeignCalls {

    private final World world;
    private final Calls calls;
    private final Signals signals;
    private final Map<CallKey, QueueEntry.Foreign> live = new HashMap<>();
    private final ForeignMessages ends;
    /** By call, the engines that peers have told of before it begins here; the oldest are forgotten. */
    private final Map<CallKey, String> elsewhere = new LinkedHashMap<>();
    /** Those that have got calls in this turn. */
    private final Set<CollectiveEngine> begun = new LinkedHashSet<>();

    ForeignCalls(World world, Calls calls, Messages messages, Signals signals) {
        this.ends = new ForeignMessages(world, calls, messages, live);
        this.world = world;
        this.calls = calls;
        this.signals = signals;
    }

    /** {@return the ends of messages among them} */
    ForeignMessages ends() {
        return ends;
    }

    /** {@return those under way} */
    List<QueueEntry.Foreign> snapshot() {
        return List.copyOf(live.values());
    }

    /** {@return whether one of that identity is under way} */
    boolean has(CallKey key) {
        return !live.isEmpty() && live.containsKey(key);
    }

    /** {@return the group of one that is under way, or null} */
    @Nullable GroupState groupOf(CallKey key) {
        QueueEntry.Foreign call = live.isEmpty() ? null : live.get(key);
        return call == null ? null : call.group();
    }

    /** {@return how many are under way} */
    int size() {
        return live.size();
    }

    /** {@return some of those under way; since when is known of those that somebody observes} */
    List<WaitingCall> some(int most, long now) {
        return live.values().stream()
                .limit(most)
                .map(call -> waiting(call, now))
                .toList();
    }

    private static WaitingCall waiting(QueueEntry.Foreign call, long now) {
        Observation observation = call.sink().observation();
        return new WaitingCall(
                call.group().id(),
                call.group().size(),
                CallRecords.readable(call.key().label()),
                observation == null ? "" : observation.operation(),
                observation == null ? "" : observation.backend(),
                observation == null ? 0 : observation.byteSize(),
                Optional.ofNullable(observation).map(known -> Duration.ofNanos(now - known.subscribedAt())),
                List.of(),
                0);
    }

    /** {@return what was called and by which engine, or an empty text} */
    String describe(CallKey key) {
        QueueEntry.Foreign call = live.isEmpty() ? null : live.get(key);
        return call == null ? "" : call.words().get();
    }

    /** {@return whether a call began: its engine has it now. Otherwise it has ended, by what other ranks have said of it} */
    boolean begin(QueueEntry.Foreign call) {
        CallKey key = call.key();
        Failure known = ends.isUnnumbered(key) ? null : calls.tombstones().find(key);
        if (known != null) {
            if (key instanceof CallKey.Message message) {
                ends.failedBefore(call, message, known);
            }
            Failure own = Verdict.withOwn(known, world.rank(), key, call.words());
            call.performer().refuse(key, known);
            end(call, known, () -> call.sink().failed(own));
            return false;
        }
        live.put(key, call);
        if (key instanceof CallKey.Message message) {
            ends.begun(call, message);
        }
        begun.add(call.performer().engine());
        announce(call);
        call.performer().begin();
        return true;
    }

    /** Where there are several other engines, one rank hears which each has chosen: of a collective the group's first, of a message its sender. */
    private void announce(QueueEntry.Foreign call) {
        String engine = call.performer().rivalName();
        int hearer = call.key() instanceof CallKey.Message message ? message.source() : 0;
        if (engine != null && hearer >= 0 && hearer != call.group().rank()) {
            Peer peer = world.peer(call.group().worldRank(hearer));
            if (peer.isUp()) {
                peer.tell(new Frame.Performs(call.key(), engine));
            }
        }
    }

    /** {@return one that is under way, or null} */
    QueueEntry.@Nullable Foreign find(CallKey key) {
        return live.isEmpty() ? null : live.get(key);
    }

    /** Takes a peer's word of its engine. {@return whether this rank, or another peer, has chosen another one} */
    boolean performed(Frame.Performs performs) {
        QueueEntry.Foreign own = find(performs.key());
        if (own != null) {
            return !performs.engine().equals(own.performer().rivalName());
        }
        String before = elsewhere.put(performs.key(), performs.engine());
        if (elsewhere.size() > calls.limits().tombstones()) {
            elsewhere.remove(elsewhere.keySet().iterator().next());
        }
        return before != null && !before.equals(performs.engine());
    }

    /** {@return whether a peer has given a call that begins here to another engine} */
    boolean isElsewhere(QueueEntry.Foreign call) {
        String engine = elsewhere.isEmpty() ? null : elsewhere.remove(call.key());
        return engine != null && !engine.equals(call.performer().rivalName());
    }

    /** Fails a message whose receive is on another engine than its send, which is here; neither is over links. */
    void differsElsewhere(QueueEntry.Foreign send, CallKey.Message message) {
        Peer peer = world.peer(send.group().worldRank(message.destination()));
        Failure failure = CallFailures.engines(
                message, world.rank(), send.words().get(), peer.rank(), "receive on another engine", world.rank());
        peer.tell(new Frame.Abort(message, failure));
        send.performer().fail(message, failure);
    }

    /** The loop's turn has begun what there was to begin: engines that got calls hear that these are all. */
    void allBegun() {
        if (!begun.isEmpty()) {
            List<CollectiveEngine> engines = List.copyOf(begun);
            begun.clear();
            engines.forEach(CollectiveEngine::submitted);
        }
    }

    /** {@return whether a peer has opened, over links, a call under the identity of one, or in a composite of that} */
    boolean isContradicted(CallKey.Ticket key) {
        List<Peer> peers = world.peers();
        for (int i = 0; i < peers.size(); i++) {
            Openings openings = world.openings(peers.get(i));
            if (openings.holds(key) || openings.holdsPartOf(key)) {
                return true;
            }
        }
        return false;
    }

    /** Its engine has ended a call; whoever gives it to links later is told how. */
    void end(QueueEntry.Foreign call, @Nullable Failure failure, Runnable tell) {
        CallKey key = call.key();
        boolean hadBegun = live.remove(key, call);
        switch (key) {
            case CallKey.Ticket ticket -> {
                if (failure != null) {
                    calls.tombstones().put(ticket, failure);
                }
            }
            case CallKey.Message message -> {
                if (hadBegun) {
                    ends.ended(message, failure);
                }
            }
        }
        calls.recorder()
                .endedBeside(key, call.words(), failure)
                .lasted(call.performer().startedAt(), calls.now())
                .by(call.performer().name(), "");
        signals.add(tell);
        Composite within = call.within();
        if (within != null) {
            // Behind the news for the call's subscriber: a composite call ends after all that is in it.
            within.partEnded();
        }
    }

    /** A call has failed by what ranks have said over links: its engine is told, and ends it. */
    void failed(CallKey key, Failure failure) {
        QueueEntry.Foreign call = live.isEmpty() ? null : live.get(key);
        if (call != null && !ends.isUnnumbered(key)) {
            call.performer().fail(call.key(), failure);
        }
    }

    /** {@return the first call under way in whose place a peer has opened a composite, or null} @param enclosure that of what it has opened */
    CallKey.@Nullable Ticket inPlaceOf(@Nullable Enclosure enclosure) {
        for (Enclosure each = enclosure; each != null; each = each.outer()) {
            if (has(each.run())) {
                return each.run();
            }
        }
        return null;
    }

    void forgetGroup(long group) {
        ends.forgetGroup(group);
        elsewhere.keySet().removeIf(key -> key.group() == group);
    }
}

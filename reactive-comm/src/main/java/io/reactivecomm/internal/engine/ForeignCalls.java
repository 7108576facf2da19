package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Frame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls that other engines than the one over links perform on this rank, by identity, from their beginning to their end: so a peer that gives the same
 * call to links is answered, and does not wait for this rank until its deadline.
 *
 * <p>The ends of a message are counted over all engines, where there are others. Who sends over links says the number with its opening, and who receives
 * over links tells it to the sender; so the rank whose end is on another engine sees it, and fails both.
 *
 * <p>Owned by the loop.
 */
final class ForeignCalls {

    private final World world;
    private final Calls calls;
    private final Messages messages;
    private final Signals signals;
    private final Map<CallKey, QueueEntry.Foreign> live = new HashMap<>();
    /** Receives from any among them, by channel, in the order in which they began. */
    private final Map<Channel, ArrayDeque<QueueEntry.Foreign>> fromAny = new HashMap<>();
    /** Receives over links of which peers have told, and whose messages have not been sent. */
    private final Wanted wants;
    /** Receives of other engines that have failed: who gives their messages to links hears of it. */
    private final Tombstones<CallKey.Message> failedReceives;
    /** By call, the engines that peers have told of before it begins here; the oldest are forgotten. */
    private final Map<CallKey, String> elsewhere = new LinkedHashMap<>();
    /** Those that have got calls in this turn. */
    private final Set<CollectiveEngine> begun = new LinkedHashSet<>();

    ForeignCalls(World world, Calls calls, Messages messages, Signals signals) {
        this.messages = messages;
        this.wants = new Wanted(calls.limits().tombstones());
        this.failedReceives = new Tombstones<>(calls.limits().tombstones());
        this.world = world;
        this.calls = calls;
        this.signals = signals;
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

    /** {@return what was called and by which engine, or an empty text} */
    String describe(CallKey key) {
        QueueEntry.Foreign call = live.isEmpty() ? null : live.get(key);
        return call == null ? "" : call.words().get();
    }

    /** {@return whether a call began: its engine has it now. Otherwise it has ended, by what other ranks have said of it} */
    boolean begin(QueueEntry.Foreign call) {
        CallKey key = call.key();
        Failure known = calls.tombstones().find(key);
        if (known != null) {
            call.performer().refuse(key, known);
            end(call, known, () -> call.sink().failed(known));
            return false;
        }
        live.put(key, call);
        if (key instanceof CallKey.Message message && message.source() < 0) {
            fromAny.computeIfAbsent(Channel.of(message), ignored -> new ArrayDeque<>()).add(call);
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
                    ended(call, message, failure);
                }
            }
        }
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
        if (call != null) {
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

    private void ended(QueueEntry.Foreign call, CallKey.Message message, @Nullable Failure failure) {
        if (message.source() < 0) {
            fromAny.computeIfPresent(Channel.of(message), (channel, waiting) -> {
                waiting.remove(call);
                return waiting.isEmpty() ? null : waiting;
            });
        } else if (failure != null && message.destination() == call.group().rank()) {
            failedReceives.put(message, failure);
        }
    }

    /** {@return whether a message that a peer has given to links is for a receive of another engine here: then both have failed} */
    boolean answers(Peer peer, CallKey.Message message, Frame.Open open) {
        ArrayDeque<QueueEntry.Foreign> any = fromAny.isEmpty() ? null : fromAny.get(Channel.of(message));
        QueueEntry.Foreign receive = any == null ? live.get(message) : any.peek();
        Failure over = failedReceives.find(message);
        if (receive != null) {
            differs(receive, peer, message, open);
        } else if (over != null) {
            peer.tell(new Frame.Abort(message, over));
        }
        return receive != null || over != null;
    }

    private void differs(QueueEntry.Foreign receive, Peer peer, CallKey.Message message, Frame.@Nullable Open open) {
        String sent = open == null ? "send" : "send" + CallFailures.shape(open.signature().describe());
        Failure failure = CallFailures.engines(message, peer.rank(), sent + " on links", world.rank(), receive.words().get(), world.rank());
        peer.tell(new Frame.Abort(message, failure));
        receive.performer().fail(receive.key(), failure);
    }

    /**
     * A peer has a receive over links. {@return whether its message is on another engine here: then both have failed}
     *
     * @param number which message of this rank it is for, or {@link Frame.Wanted#ANY}
     */
    boolean answers(Peer peer, Channel channel, long number) {
        GroupState group = world.group(channel.group());
        if (group == null) {
            return false;
        }
        List<QueueEntry.Foreign> sends = sends(group, channel, group.groupRank(peer.rank()), number);
        if (sends.isEmpty() || number == Frame.Wanted.ANY) {
            wants.add(new Wanted.Want(channel, peer.rank(), number));
        }
        sends.forEach(send -> differs(send, peer));
        return !sends.isEmpty();
    }

    private List<QueueEntry.Foreign> sends(GroupState group, Channel channel, int receiver, long number) {
        List<QueueEntry.Foreign> sends = new ArrayList<>();
        if (number == Frame.Wanted.ANY) {
            for (QueueEntry.Foreign each : live.values()) {
                boolean isSend = each.key() instanceof CallKey.Message message
                        && message.source() == group.rank()
                        && message.destination() == receiver
                        && Channel.of(message).equals(channel);
                if (isSend) {
                    sends.add(each);
                }
            }
        } else {
            QueueEntry.Foreign send = live.get(new CallKey.Message(
                    group.generation(), group.id(), channel.step(), channel.name(), channel.tag(), group.rank(), receiver, number, channel.enclosure()));
            if (send != null) {
                sends.add(send);
            }
        }
        return sends;
    }

    /** Fails a send of another engine's and, in the message's place, the receive that a peer has over links. */
    private void differs(QueueEntry.Foreign send, Peer peer) {
        CallKey.Message message = (CallKey.Message) send.key();
        Failure failure = CallFailures.engines(message, world.rank(), send.words().get(), peer.rank(), "receive on links", world.rank());
        world.messages(peer).wanted(Channel.of(message), true);
        world.messages(peer).refuse(message, failure);
        send.performer().fail(message, failure);
    }

    /** A message or a receive has begun on another engine: the other end may have come over links before. */
    void compare(QueueEntry.Foreign call, CallKey.Message message) {
        if (message.source() == call.group().rank()) {
            Peer peer = world.peer(call.group().worldRank(message.destination()));
            Channel channel = Channel.of(message);
            boolean isWanted = wants.remove(new Wanted.Want(channel, peer.rank(), message.number()))
                    || wants.has(new Wanted.Want(channel, peer.rank(), Frame.Wanted.ANY));
            if (isWanted) {
                differs(call, peer);
            }
            return;
        }
        Messages.ArrivedMessage arrival = messages.takeForeign(message);
        if (arrival != null) {
            differs(call, arrival.peer(), arrival.key(), arrival.open());
        }
    }

    /** A message goes over links, as its receive does that a peer may have told of. */
    void sent(CallKey.Message message, Peer receiver) {
        wants.remove(new Wanted.Want(Channel.of(message), receiver.rank(), message.number()));
    }

    void forgetGroup(long group) {
        wants.forgetGroup(group);
        elsewhere.keySet().removeIf(key -> key.group() == group);
        fromAny.keySet().removeIf(channel -> channel.group() == group);
    }
}

package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.observe.Tombstones;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.link.Frame;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The messages of which one end is on another engine than the one over links, and the other end over links: both fail.
 *
 * <p>The ends of a message are counted over all engines, where there are others. Who sends over links says the number with its opening, and who receives
 * over links tells it to the sender; so the rank whose end is on another engine sees it, also when that end has failed before.
 *
 * <p>Receives of a name and tag of which one is from any all go to one engine, which alone knows what that one took. So the engine is told of a message that came
 * over links, and finds the receive that fails with it.
 *
 * <p>Owned by the loop.
 */
final class ForeignMessages {

    private final World world;
    private final Messages messages;
    private final Tombstones<CallKey> tombstones;
    private final Map<CallKey, QueueEntry.Foreign> live;
    /** The channels in which this rank has received from any; the oldest are forgotten. */
    private final Map<Channel, FromAny> fromAny = new LinkedHashMap<>();

    private final int kept;
    /** Receives over links of which peers have told, and whose messages have not been sent. */
    private final Wanted wants;
    /** Ends that have failed on other engines: who gives the other end to links hears of it. */
    private final Tombstones<CallKey.Message> failed;

    /**
     * Receives from any of one channel.
     *
     * @param words what the latest was called
     */
    private record FromAny(CollectiveEngine engine, GroupState group, Supplier<String> words) {}

    /** @param live the calls of other engines that are under way, by identity */
    ForeignMessages(World world, Calls calls, Messages messages, Map<CallKey, QueueEntry.Foreign> live) {
        this.world = world;
        this.messages = messages;
        this.tombstones = calls.tombstones();
        this.live = live;
        this.kept = calls.limits().tombstones();
        this.wants = new Wanted(kept);
        this.failed = new Tombstones<>(kept);
    }

    /** {@return what this rank has received from any in the line of a message for it, or null} */
    private @Nullable FromAny fromAny(CallKey.Message message) {
        FromAny any = fromAny.isEmpty() ? null : fromAny.get(Channel.of(message));
        return any != null && message.destination() == any.group.rank() ? any : null;
    }

    /** {@return whether the number of a message, or of a receive, does not say which call is its other end} */
    boolean isUnnumbered(CallKey key) {
        return key instanceof CallKey.Message message && fromAny(message) != null;
    }

    private static boolean isReceive(QueueEntry.Foreign call, CallKey.Message message) {
        return message.destination() == call.group().rank();
    }

    void begun(QueueEntry.Foreign call, CallKey.Message message) {
        if (message.source() < 0) {
            fromAny.put(Channel.of(message), new FromAny(call.performer().engine(), call.group(), call.words()));
            if (fromAny.size() > kept) {
                fromAny.remove(fromAny.keySet().iterator().next());
            }
        }
    }

    /** Its peer has failed a message before its end began here, which does not begin. The opening may have come as well, or comes now, and is answered. */
    void failedBefore(QueueEntry.Foreign call, CallKey.Message message, Failure failure) {
        failed.put(message, failure);
        Messages.ArrivedMessage arrival = isReceive(call, message) ? messages.takeForeign(message) : null;
        if (arrival != null) {
            arrival.peer().tell(new Frame.Abort(arrival.key(), failure));
        }
    }

    void ended(CallKey.Message message, @Nullable Failure failure) {
        if (message.source() >= 0 && failure != null) {
            failed.put(message, failure);
        }
    }

    /** {@return whether a message that a peer has given to links is for a receive of another engine here: then both have failed} */
    boolean answers(Peer peer, CallKey.Message message, Frame.Open open) {
        Messages.ArrivedMessage arrival = new Messages.ArrivedMessage(peer, message, open, tombstones.find(message));
        FromAny any = fromAny(message);
        QueueEntry.Foreign receive = live.get(message);
        Failure over = failed.find(message);
        if (any != null && any.group.groupRank(peer.rank()) != message.source()) {
            // No message of that peer's, which is told so.
            return false;
        }
        if (any != null) {
            fail(any, arrival);
        } else if (receive != null) {
            fail(receive, arrival);
        } else if (over != null) {
            peer.tell(new Frame.Abort(message, over));
        }
        return any != null || receive != null || over != null;
    }

    private void fail(FromAny any, Messages.ArrivedMessage arrival) {
        fail(arrival, any.words, failure -> any.engine.sentElsewhere(any.group.forEngines(), arrival.key(), failure));
    }

    private void fail(QueueEntry.Foreign receive, Messages.ArrivedMessage arrival) {
        fail(arrival, receive.words(), failure -> receive.performer().fail(receive.key(), failure));
    }

    /**
     * Fails a message over links, unless it has failed before.
     *
     * @param received what its receive is called, on another engine
     * @param told takes why it has failed, as its sender does
     */
    private void fail(Messages.ArrivedMessage arrival, Supplier<String> received, Consumer<Failure> told) {
        Frame.Open open = arrival.open();
        Failure known = arrival.failure();
        if (known != null) {
            answer(arrival, known, told);
        } else {
            String sent = open == null
                    ? "send"
                    : "send" + CallFailures.shape(open.signature().describe());
            answer(
                    arrival,
                    CallFailures.engines(
                            arrival.key(),
                            arrival.peer().rank(),
                            sent + " on links",
                            world.rank(),
                            received.get(),
                            world.rank()),
                    told);
        }
    }

    private static void answer(Messages.ArrivedMessage arrival, Failure failure, Consumer<Failure> told) {
        arrival.peer().tell(new Frame.Abort(arrival.key(), failure));
        told.accept(failure);
    }

    /**
     * A peer has a receive over links. {@return whether its message is on another engine here, or was: then both have failed}
     *
     * @param number which message of this rank it is for, or {@link Frame.Wanted#ANY}
     */
    boolean answers(Peer peer, Channel channel, long number) {
        GroupState group = world.group(channel.group());
        if (group == null) {
            return false;
        }
        int receiver = group.groupRank(peer.rank());
        if (number == Frame.Wanted.ANY) {
            wants.add(new Wanted.Want(channel, peer.rank(), number));
            List<QueueEntry.Foreign> sends = sends(group, channel, receiver);
            sends.forEach(send -> differs(send, peer));
            return !sends.isEmpty();
        }
        CallKey.Message message = new CallKey.Message(
                group.generation(),
                group.id(),
                channel.step(),
                channel.name(),
                channel.tag(),
                group.rank(),
                receiver,
                number,
                channel.enclosure());
        QueueEntry.Foreign send = live.get(message);
        Failure over = failed.find(message);
        if (send != null) {
            differs(send, peer);
        } else if (over != null) {
            refuse(peer, message, over);
        } else {
            wants.add(new Wanted.Want(channel, peer.rank(), number));
        }
        return send != null || over != null;
    }

    private List<QueueEntry.Foreign> sends(GroupState group, Channel channel, int receiver) {
        List<QueueEntry.Foreign> sends = new ArrayList<>();
        for (QueueEntry.Foreign each : live.values()) {
            boolean isSend = each.key() instanceof CallKey.Message message
                    && message.source() == group.rank()
                    && message.destination() == receiver
                    && Channel.of(message).equals(channel);
            if (isSend) {
                sends.add(each);
            }
        }
        return sends;
    }

    /** Fails a send of another engine's and, in the message's place, the receive that a peer has over links. */
    private void differs(QueueEntry.Foreign send, Peer peer) {
        CallKey.Message message = (CallKey.Message) send.key();
        Failure failure = CallFailures.engines(
                message, world.rank(), send.words().get(), peer.rank(), "receive on links", world.rank());
        refuse(peer, message, failure);
        send.performer().fail(message, failure);
    }

    private void refuse(Peer peer, CallKey.Message message, Failure failure) {
        world.messages(peer).wanted(Channel.of(message), true);
        world.messages(peer).refuse(message, failure);
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
        FromAny any = fromAny(message);
        Messages.ArrivedMessage arrival = messages.takeForeign(message);
        if (any == null && arrival != null) {
            fail(call, arrival);
        }
        // From here on such messages are answered as they come.
        for (; any != null && arrival != null; arrival = messages.takeForeign(message)) {
            fail(any, arrival);
        }
    }

    /** A message goes over links, as its receive does that a peer may have told of. */
    void sent(CallKey.Message message, Peer receiver) {
        wants.remove(new Wanted.Want(Channel.of(message), receiver.rank(), message.number()));
    }

    void forgetGroup(long group) {
        wants.forgetGroup(group);
        fromAny.keySet().removeIf(channel -> channel.group() == group);
    }
}

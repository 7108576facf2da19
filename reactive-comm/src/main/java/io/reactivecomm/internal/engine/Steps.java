package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls that this rank will not make, for peers that wait for one: those of steps which are over here, and those that are switched off.
 *
 * <p>A program that begins a step promises to assemble nothing more in those before. So a rank can say of a call of theirs that it has not
 * assembled, or no longer knows, that it will not come: at once when a peer opens it, or when the step ends here.
 *
 * <pre>
 *   a peer's opening in a step that here is   to come, or goes on   it waits for its call
 *                                             over                  it waits, if the call was assembled; else it fails on all
 *   a peer's opening of a call that is off here, or in a composite call that is: it fails on all ranks on which it is not off
 * </pre>
 *
 * <p>A call in a composite call of a step fails with that composite. Messages of a step are counted apart, so that both ends know which is missing.
 * Owned by the loop.
 */
final class Steps {

    private final World world;
    private final Calls calls;
    private final Messages messages;
    private final Composites composites;
    private final Wanted wanted;
    /** By group and step. */
    private final Map<Long, Map<Long, MessageCounts>> counts = new HashMap<>();

    Steps(World world, Calls calls, Messages messages, Composites composites) {
        this.world = world;
        this.calls = calls;
        this.messages = messages;
        this.composites = composites;
        this.wanted = new Wanted(calls.limits().tombstones());
    }

    /** The program makes less of what peers may wait for: it has begun another step of a group, something of one that is over has ended, or calls are off. */
    void stepped(GroupState group) {
        composites.answerIfOff(group);
        for (Peer peer : world.peers()) {
            for (CallKey key : world.openings(peer).of(group.id())) {
                if (!answersOff(peer, key)) {
                    refuseIfNever(key);
                }
            }
        }
        for (Wanted.Want want : wanted.of(group.id())) {
            answer(group, world.peer(want.peer()), want);
        }
        for (Channel channel : messages.ofSteps(group.id())) {
            refuseMessages(group, channel);
        }
        Map<Long, MessageCounts> ofGroup = counts.get(group.id());
        if (ofGroup != null) {
            ofGroup.keySet().removeIf(step -> !group.assembled().knows(step));
        }
    }

    /** {@return whether a call that a peer has opened is off here, or is in a composite call that is: then it is answered} */
    boolean answersOff(Peer peer, CallKey key) {
        Failure off = key instanceof CallKey.Ticket call ? whyOff(call) : null;
        Failure why = off == null ? answerRunOff(key.enclosure()) : off;
        if (why != null) {
            composites.refuse(peer, key, why);
        }
        return why != null;
    }

    /** {@return whether a peer is in a composite call that is off here: then it is answered} */
    boolean answersOff(Enclosure part) {
        return answerRunOff(part) != null;
    }

    private @Nullable Failure answerRunOff(@Nullable Enclosure part) {
        for (Enclosure each = part; each != null; each = each.outer()) {
            Failure off = whyOff(each.run());
            if (off != null) {
                composites.answerOff(each.run(), off);
                return off;
            }
        }
        return null;
    }

    /** {@return the failure of a call that peers have made if it is off here, or null} */
    private @Nullable Failure whyOff(CallKey.Ticket call) {
        GroupState group = world.group(call.group());
        return group == null ? null : group.assembled().whyOff(call);
    }

    /** {@return whether a failure is only news of a call that is off on another rank, as it is here} */
    boolean isOffHereToo(CallKey key, Failure failure) {
        return SwitchFailures.isDifference(failure) && key instanceof CallKey.Ticket call && whyOff(call) != null;
    }

    /** Fails a call that a peer has opened, or the composite call that it is in, if this rank will not make it. */
    void refuseIfNever(CallKey key) {
        CallKey outermost = key.outermost();
        GroupState group = outermost.step() == CallKey.NO_STEP ? null : world.group(outermost.group());
        if (group == null
                || !(outermost instanceof CallKey.Ticket ticket)
                || calls.tombstones().find(ticket) != null) {
            return;
        }
        group.assembled().ifNever(ticket, never -> refuse(ticket, never));
    }

    private void refuse(CallKey.Ticket never, Failure why) {
        composites.neverBegins(never, why);
        world.forgetOpenings(never);
    }

    /** Fails the messages that wait here and that this rank will not receive. */
    void refuseMessages(GroupState group, Channel channel) {
        boolean isKnown = group.assembled().knows(channel.step());
        for (int source : messages.sources(channel)) {
            if (!group.assembled().mayReceive(channel, source)) {
                messages.refuse(channel, source, whyNot(group, channel, "receive", source));
            }
        }
        if (!isKnown) {
            messages.forgetPlaces(channel);
        }
    }

    /** A peer has a receive that waits for a message of this rank in a step. */
    void wanted(Peer peer, Frame.Wanted news) {
        GroupState group = world.group(news.group());
        Channel channel = Channel.of(news);
        boolean isKnown = news.number() != Frame.Wanted.NONE;
        boolean isSent = isKnown && isSent(channel, peer.rank(), news.number());
        world.messages(peer).wanted(channel, !isSent);
        if (group != null && isKnown && !isSent) {
            Wanted.Want want = new Wanted.Want(channel, peer.rank(), news.number());
            wanted.add(want);
            answer(group, peer, want);
        }
    }

    private boolean isSent(Channel channel, int peer, long number) {
        MessageCounts sent = find(channel);
        return sent != null && sent.hasSent(channel, peer, number);
    }

    private @Nullable MessageCounts find(Channel channel) {
        Map<Long, MessageCounts> ofGroup = counts.get(channel.group());
        return ofGroup == null ? null : ofGroup.get(channel.step());
    }

    /** Sends the failure in the message's place, if that will not be sent. */
    private void answer(GroupState group, Peer peer, Wanted.Want want) {
        Channel channel = want.channel();
        int receiver = group.groupRank(peer.rank());
        if (group.assembled().maySend(channel, receiver)) {
            return;
        }
        Failure never = whyNot(group, channel, "send", receiver);
        // One for each receive that waits: a peer's number is no measure.
        if (!isSent(channel, peer.rank(), want.number())) {
            nextSent(channel, peer, Frame.Wanted.NONE);
            CallKey.Message key = new CallKey.Message(
                    group.generation(),
                    group.id(),
                    channel.step(),
                    channel.name(),
                    channel.tag(),
                    group.rank(),
                    receiver,
                    want.number(),
                    null);
            world.messages(peer).wanted(channel, true);
            world.messages(peer).refuse(key, never);
        }
    }

    private static Failure whyNot(GroupState group, Channel channel, String what, int peer) {
        return group.assembled()
                .whyNot(
                        channel.step(),
                        "a further " + what + ", peer=" + group.worldRank(peer) + ", tag=" + channel.tag()
                                + (channel.name().isEmpty() ? "" : ", name=" + channel.name()));
    }

    /** {@return the number of a message that is sent now in a step} @param known the number that it has already, or negative */
    long nextSent(Channel channel, Peer peer, long known) {
        long number = of(channel).nextSent(channel, peer.rank(), known);
        wanted.remove(new Wanted.Want(channel, peer.rank(), number));
        return number;
    }

    /** {@return the number of the message that a receive takes which names its source} @param known the number that it has already, or negative */
    long nextAwaited(Channel channel, int peer, long known) {
        return of(channel).nextAwaited(channel, peer, known);
    }

    private MessageCounts of(Channel channel) {
        return counts.computeIfAbsent(channel.group(), ignored -> new HashMap<>())
                .computeIfAbsent(channel.step(), ignored -> new MessageCounts());
    }

    void forgetGroup(long group) {
        wanted.forgetGroup(group);
        counts.remove(group);
    }
}

package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Matches messages with receives, as MPI does: within a name and tag, receives take messages in the order in which both came.
 *
 * <p>A message whose sender failed keeps its place and fails the receive that takes it; a receive from a named rank that failed keeps its
 * place and fails the message that it would have taken. So a failure never shifts the pairs behind it. Owned by the loop.
 */
final class Messages {

    private final Map<Channel, Box> boxes = new HashMap<>();
    private final World world;
    private final int placesKept;

    /** @param placesKept receives that failed and keep their place, for each name and tag */
    Messages(World world, int placesKept) {
        this.world = world;
        this.placesKept = placesKept;
    }

    /**
     * A message that has come and waits for a receive.
     *
     * @param open its opening, or null if its sender failed
     * @param failure why its sender failed, or null
     */
    record ArrivedMessage(
            Peer peer,
            CallKey.Message key,
            Frame.@Nullable Open open,
            @Nullable Failure failure) {

        /** {@return whether it is no message, but the word that none comes for a receive which names its sender} */
        private boolean isLeftOut() {
            return failure != null && failure.kind() == Failure.Kind.MISMATCH && key.step() != CallKey.NO_STEP;
        }

        private long eagerBytes() {
            return open == null ? 0 : open.eagerBytes();
        }

        /** Puts it, with an opening that stays, behind others. */
        private void keepIn(Collection<ArrivedMessage> others) {
            if (open == null) {
                others.add(this);
            } else {
                others.add(new ArrivedMessage(peer, key, open.kept(), failure));
            }
        }
    }

    /** A message waits for a receive, and keeps its bytes. */
    private void waits(ArrivedMessage arrival) {
        world.messages(arrival.peer).arrived(1);
        arrival.peer.path().eager().keep(arrival.eagerBytes());
    }

    /** It waits no more. */
    private void leaves(ArrivedMessage arrival) {
        world.messages(arrival.peer).arrived(-1);
        arrival.peer.path().eager().letGo(arrival.eagerBytes());
    }

    /** A receive that waits for a message; with a failure it only keeps its place. */
    private record Posted(
            @Nullable Call call,
            GroupState group,
            int source,
            @Nullable Failure failure,
            long number) {

        boolean takes(int sender) {
            return source < 0 || source == sender;
        }

        /** Where ends are counted over all engines, one for another number waits for another message: this one's is on another engine. */
        boolean takes(CallKey.Message message) {
            return takes(message.source()) && isFor(number, message);
        }

        /** Where one sender makes no message any more, a receive from any goes on waiting for the others. */
        boolean takes(ArrivedMessage arrival) {
            return takes(arrival.key) && !(source < 0 && arrival.isLeftOut());
        }
    }

    private static boolean isFor(long number, CallKey.Message message) {
        return number < 0 || message.number() == number;
    }

    private static final class Box {

        private final ArrayDeque<Posted> posted = new ArrayDeque<>();
        private final ArrayDeque<ArrivedMessage> arrivals = new ArrayDeque<>();

        private boolean isEmpty() {
            return posted.isEmpty() && arrivals.isEmpty();
        }
    }

    /**
     * Posts a receive.
     *
     * @param peers those who could send to it
     * @param number which message of its source it is for, if messages of its channel are counted, {@link Frame.Wanted#ANY} or {@link Frame.Wanted#NONE}
     * @return the message it takes, or null if it has to wait
     */
    @Nullable ArrivedMessage post(Call call, int source, Collection<Peer> peers, long number) {
        Channel channel = call.submission().channel();
        long known = call.submission().messageNumber();
        ArrivedMessage arrival = take(channel, source, known);
        if (arrival == null) {
            box(channel).posted.add(new Posted(call, call.group(), source, null, known));
            if (number != Frame.Wanted.NONE) {
                peers.forEach(peer -> tell(channel, peer, number));
            }
            if (number < 0 || !channel.isCounted()) {
                peers.forEach(peer -> tellWanted(channel, peer));
            }
        }
        return arrival;
    }

    private void tellWanted(Channel channel, Peer peer) {
        if (world.messages(peer).isPeerOutOfCredit()) {
            tell(channel, peer, Frame.Wanted.NONE);
        }
    }

    private static void tell(Channel channel, Peer peer, long number) {
        if (peer.isUp()) {
            peer.tell(new Frame.Wanted(
                    channel.group(), channel.step(), channel.enclosure(), channel.name(), channel.tag(), number));
        }
    }

    /** A receive from a named rank was refused on this rank: the message that it would have taken fails. */
    void refuse(Submission submission, Submission.Address.From from, Peer source, Failure refusal) {
        GroupState group = submission.group();
        Channel channel = submission.channel();
        ArrivedMessage arrival = take(channel, from.peer(), submission.messageNumber());
        if (arrival == null) {
            box(channel).posted.add(new Posted(null, group, from.peer(), refusal, submission.messageNumber()));
            tellWanted(channel, source);
        } else {
            arrival.peer.tell(new Frame.Abort(arrival.key, refusal));
        }
    }

    private @Nullable ArrivedMessage take(Channel channel, int source, long number) {
        Box box = box(channel);
        for (Iterator<ArrivedMessage> all = box.arrivals.iterator(); all.hasNext(); ) {
            ArrivedMessage arrival = all.next();
            if (source < 0 ? !arrival.isLeftOut() : arrival.key.source() == source && isFor(number, arrival.key)) {
                all.remove();
                leaves(arrival);
                dropIfEmpty(channel, box);
                return arrival;
            }
        }
        return null;
    }

    /** {@return a message that has come over links for a receive of another engine, which waits here no more; null if there is none} */
    @Nullable ArrivedMessage takeForeign(CallKey.Message receive) {
        Channel channel = Channel.of(receive);
        Box box = boxes.get(channel);
        if (box == null || receive.source() < 0 && !box.posted.isEmpty()) {
            return null;
        }
        return take(channel, receive.source(), receive.source() < 0 ? Frame.Wanted.NONE : receive.number());
    }

    private Box box(Channel channel) {
        return boxes.computeIfAbsent(channel, ignored -> new Box());
    }

    /**
     * A message has come.
     *
     * @return the receive that takes it, or null if it waits or met a receive that had failed
     */
    @Nullable Call arrived(ArrivedMessage arrival) {
        Channel channel = Channel.of(arrival.key);
        Box box = box(channel);
        for (Iterator<Posted> all = box.posted.iterator(); all.hasNext(); ) {
            Posted posted = all.next();
            if (posted.takes(arrival)) {
                all.remove();
                wantMore(channel, box, arrival);
                dropIfEmpty(channel, box);
                if (posted.failure != null) {
                    arrival.peer.tell(new Frame.Abort(arrival.key, posted.failure));
                    return null;
                }
                return posted.call;
            }
        }
        arrival.keepIn(box.arrivals);
        waits(arrival);
        if (world.messages(arrival.peer).isPeerOutOfCredit()) {
            askForWanted(arrival.peer);
        }
        return null;
    }

    /** A receive from any has taken a message of a peer: each that names the peer is now for the one after that which it was for. */
    void wantAfter(Channel channel, Peer peer, int source, long last) {
        Box box = boxes.get(channel);
        if (box != null && box.posted.stream().anyMatch(posted -> posted.source == source && posted.failure == null)) {
            tell(channel, peer, last);
        }
    }

    /** A receive has taken a message; if there are more like it, the peer is to send on whatever its credit. */
    private void wantMore(Channel channel, Box box, ArrivedMessage arrival) {
        for (Posted posted : box.posted) {
            if (posted.takes(arrival.key.source())) {
                tellWanted(channel, arrival.peer);
                return;
            }
        }
    }

    private void askForWanted(Peer peer) {
        boxes.forEach((channel, box) -> {
            for (Posted posted : box.posted) {
                int source = posted.group.groupRank(peer.rank());
                if (source >= 0 && posted.takes(source)) {
                    tell(channel, peer, Frame.Wanted.NONE);
                }
            }
        });
    }

    /** {@return whether a message with that key waited here; it now waits with the failure instead} */
    boolean failed(CallKey.Message key, Failure failure) {
        Box box = boxes.get(Channel.of(key));
        if (box == null) {
            return false;
        }
        for (ArrivedMessage arrival : box.arrivals) {
            if (arrival.key.equals(key)) {
                arrival.peer.path().eager().letGo(arrival.eagerBytes());
                List<ArrivedMessage> all = List.copyOf(box.arrivals);
                box.arrivals.clear();
                for (ArrivedMessage each : all) {
                    if (each == arrival) {
                        box.arrivals.add(new ArrivedMessage(each.peer, key, null, failure));
                    } else {
                        box.arrivals.add(each);
                    }
                }
                return true;
            }
        }
        return false;
    }

    /**
     * A receive that waited has failed: from a named rank it keeps its place, from any it vanishes. A bounded number of places is kept.
     */
    void unpost(Call call, Failure failure) {
        Channel channel = call.submission().channel();
        Box box = boxes.get(channel);
        if (box == null) {
            return;
        }
        List<Posted> all = List.copyOf(box.posted);
        long places = all.stream().filter(each -> each.failure != null).count();
        box.posted.clear();
        for (Posted each : all) {
            if (each.failure != null && places-- >= placesKept) {
                continue;
            }
            if (each.call != call) {
                box.posted.add(each);
            } else if (each.source >= 0) {
                box.posted.add(new Posted(null, each.group, each.source, failure, each.number));
            }
        }
        dropIfEmpty(channel, box);
    }

    /** {@return whether messages of a run wait for receives} */
    boolean holdsPartOf(CallKey.Ticket run) {
        for (Map.Entry<Channel, Box> each : boxes.entrySet()) {
            if (each.getKey().isPartOf(run) && !each.getValue().arrivals.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** {@return the runs of composite calls of a group in which messages wait for receives} */
    Set<CallKey.Ticket> runsOf(long group) {
        Set<CallKey.Ticket> runs = new LinkedHashSet<>();
        boxes.forEach((channel, box) -> {
            Enclosure enclosure = channel.enclosure();
            CallKey.Ticket run = enclosure == null || box.arrivals.isEmpty() ? null : enclosure.runOf(group);
            if (run != null) {
                runs.add(run);
            }
        });
        return runs;
    }

    /** Fails the messages of a run that have come and wait, for their senders, and forgets them. {@return the receives of the run that wait} */
    List<Call> failPartsOf(CallKey.Ticket run, Failure failure) {
        List<Call> waiting = new ArrayList<>();
        boxes.entrySet().removeIf(each -> {
            if (!each.getKey().isPartOf(run)) {
                return false;
            }
            each.getValue().posted.forEach(posted -> {
                if (posted.call != null) {
                    waiting.add(posted.call);
                }
            });
            each.getValue().arrivals.forEach(arrival -> {
                leaves(arrival);
                arrival.peer.tell(new Frame.Abort(arrival.key, failure));
            });
            return true;
        });
        return waiting;
    }

    /** {@return the channels of a group's steps in which something waits} */
    List<Channel> ofSteps(long group) {
        return boxes.keySet().stream()
                .filter(channel -> channel.group() == group && channel.step() != CallKey.NO_STEP)
                .toList();
    }

    /** {@return the senders, in the group, of messages that have come and wait} */
    Set<Integer> sources(Channel channel) {
        Set<Integer> sources = new TreeSet<>();
        Box box = boxes.get(channel);
        if (box != null) {
            box.arrivals.forEach(arrival -> sources.add(arrival.key.source()));
        }
        return sources;
    }

    /** Fails the messages of a sender that have come and wait. */
    void refuse(Channel channel, int source, Failure failure) {
        Box box = box(channel);
        box.arrivals.removeIf(arrival -> {
            boolean isRefused = arrival.key.source() == source;
            if (isRefused) {
                leaves(arrival);
                arrival.peer.tell(new Frame.Abort(arrival.key, failure));
            }
            return isRefused;
        });
        dropIfEmpty(channel, box);
    }

    /** Forgets the places of receives that failed. */
    void forgetPlaces(Channel channel) {
        Box box = box(channel);
        box.posted.removeIf(posted -> posted.failure != null);
        dropIfEmpty(channel, box);
    }

    /** {@return whether a receive that has failed keeps the place of the one that a message would meet} */
    boolean holdsPlaceOf(CallKey.Message message) {
        Box box = boxes.get(Channel.of(message));
        if (box != null) {
            for (Posted posted : box.posted) {
                if (posted.takes(message)) {
                    return posted.failure != null;
                }
            }
        }
        return false;
    }

    /** Forgets the places of receives that failed in a run of which nobody asks any more. */
    void forgetPartsOf(CallKey.Ticket run) {
        boxes.keySet().removeIf(channel -> channel.isPartOf(run));
    }

    /** Forgets all that belongs to a group that has ended. */
    void forgetGroup(long group) {
        boxes.entrySet().removeIf(entry -> {
            if (entry.getKey().group() != group) {
                return false;
            }
            entry.getValue().arrivals.forEach(this::leaves);
            return true;
        });
    }

    private void dropIfEmpty(Channel channel, Box box) {
        if (box.isEmpty()) {
            boxes.remove(channel);
        }
    }
}

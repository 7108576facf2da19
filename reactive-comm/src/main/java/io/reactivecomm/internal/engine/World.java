package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.observe.Tombstones;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The world as one rank knows it: its ranks, its groups, and what waits between this rank and each other. Owned by the loop. */
final class World {

    private final Ranks ranks;
    /** By rank; none for this one. */
    private final @Nullable Openings[] openings;

    private final @Nullable MessageQueue[] messages;
    private final Map<Long, GroupState> groups = new HashMap<>();
    private final HeldUpLoops heldUp = new HeldUpLoops();
    /** Of groups on whose making not all ranks agreed: a slower rank may still make them known here. */
    private final Tombstones<Long> ended;

    World(Ranks ranks, EngineLimits limits) {
        this.ranks = ranks;
        this.openings = new Openings[ranks.peers().size() + 1];
        this.messages = new MessageQueue[ranks.peers().size() + 1];
        this.ended = new Tombstones<>(limits.tombstones());
        for (Peer peer : ranks.peers()) {
            openings[peer.rank()] = new Openings(limits, peer.path());
            messages[peer.rank()] = new MessageQueue(limits, peer.path().outbox());
        }
    }

    /** {@return this rank} */
    int rank() {
        return ranks.own();
    }

    Ranks ranks() {
        return ranks;
    }

    /** {@return the ranks whose loops do not turn, as they say themselves} */
    HeldUpLoops heldUp() {
        return heldUp;
    }

    /** {@return the other ranks in order} */
    List<Peer> peers() {
        return ranks.peers();
    }

    Peer peer(int worldRank) {
        return ranks.peer(worldRank);
    }

    /** {@return the other members of a group, in group order} */
    List<Peer> others(GroupState group) {
        return ranks.others(group);
    }

    /** Tells all other members of a group that can still be reached. */
    void tell(GroupState group, Frame frame) {
        ranks.tell(group, frame);
    }

    /** {@return the calls that one of this rank and a peer has opened and the other may not have begun} */
    Openings openings(Peer peer) {
        return Objects.requireNonNull(openings[peer.rank()]);
    }

    /** {@return the messages to a peer} */
    MessageQueue messages(Peer peer) {
        return Objects.requireNonNull(messages[peer.rank()]);
    }

    /** Forgets what waits for a peer, the link to which is down. */
    void clear(Peer peer) {
        peer.path().clear();
        openings(peer).clear();
        messages(peer).clear();
    }

    /** Forgets the peers' openings of a call: it has ended here. */
    void forgetOpenings(CallKey key) {
        for (Peer peer : ranks.peers()) {
            openings(peer).take(key);
        }
    }

    /**
     * Makes a group known, unless it has ended before.
     *
     * @throws IllegalStateException if another group has that number
     */
    void register(GroupState group) {
        Failure cause = ended.find(group.id());
        if (cause != null) {
            group.end(cause);
            return;
        }
        GroupState before = groups.putIfAbsent(group.id(), group);
        if (before != null && before != group) {
            throw new IllegalStateException("two groups have one number: id=" + group.id() + ", ranks="
                    + before.worldRanks() + " and " + group.worldRanks());
        }
    }

    /** Forgets a group that this rank has left, once nobody of it can be heard of any more. */
    void forgetIfDeserted(GroupState group) {
        if (group.hasBeenLeft() && others(group).stream().noneMatch(group::isReachable)) {
            groups.remove(group.id());
        }
    }

    /** A group has ended that this rank does not know, or is to know no more: what still comes for it is old news. */
    void endUnknown(long group, Failure cause) {
        groups.remove(group);
        ended.put(group, cause);
    }

    /** {@return whether a group is known to have ended} */
    boolean hasEnded(long id) {
        return whyEnded(id) != null;
    }

    /** {@return why a group has ended, as far as that is known, or null} */
    @Nullable Failure whyEnded(long id) {
        GroupState group = groups.get(id);
        return group == null ? ended.find(id) : group.ended();
    }

    List<GroupState> groups() {
        return List.copyOf(groups.values());
    }

    @Nullable GroupState group(long id) {
        return groups.get(id);
    }

    /** {@return the groups that a rank is a member of} */
    List<GroupState> groupsOf(int worldRank) {
        List<GroupState> found = new ArrayList<>();
        for (GroupState group : groups.values()) {
            if (group.groupRank(worldRank) >= 0) {
                found.add(group);
            }
        }
        return found;
    }
}

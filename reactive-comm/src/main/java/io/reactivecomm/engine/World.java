package io.reactivecomm.engine;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.Link;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The other ranks and the groups, as one rank knows them. Owned by the loop. */
final class World {

    private final int rank;
    private final @Nullable Peer[] peers;
    private final List<Peer> all = new ArrayList<>();
    private final Map<Long, GroupState> groups = new HashMap<>();
    /** Of groups on whose making not all ranks agreed: a slower rank may still make them known here. */
    private final Tombstones<Long> ended;

    /** @param links a link to every other rank, in the order of ranks */
    World(int rank, List<? extends Link> links, EngineLimits limits) {
        this.rank = rank;
        this.peers = new Peer[links.size() + 1];
        this.ended = new Tombstones<>(limits.tombstones());
        for (Link link : links) {
            Peer peer = new Peer(link, limits, links.size());
            peers[link.peer()] = peer;
            all.add(peer);
        }
    }

    int rank() {
        return rank;
    }

    /** {@return the other ranks in order} */
    List<Peer> peers() {
        return all;
    }

    Peer peer(int worldRank) {
        Peer peer = peers[worldRank];
        if (peer == null) {
            throw new IllegalArgumentException("a rank is no peer of its own: rank=" + worldRank);
        }
        return peer;
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
            throw new IllegalStateException("two groups have one number: id=" + group.id() + ", ranks=" + before.worldRanks() + " and "
                    + group.worldRanks());
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
        GroupState group = groups.get(id);
        return group == null ? ended.find(id) != null : group.ended() != null;
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

    /** {@return the other members of a group, in group order} */
    List<Peer> others(GroupState group) {
        List<Peer> others = new ArrayList<>(group.size());
        for (int member : group.worldRanks()) {
            if (member != rank) {
                others.add(peer(member));
            }
        }
        return others;
    }

    /** Tells all other members of a group that can still be reached. */
    void tell(GroupState group, Frame frame) {
        for (Peer peer : others(group)) {
            if (peer.isUp()) {
                peer.outbox().write(frame);
            }
        }
    }

    void flush() {
        for (Peer peer : all) {
            peer.flush();
        }
    }
}

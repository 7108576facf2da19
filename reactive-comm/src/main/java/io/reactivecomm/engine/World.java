package io.reactivecomm.engine;

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

    /** @param links a link to every other rank, in the order of ranks */
    World(int rank, List<? extends Link> links, EngineLimits limits) {
        this.rank = rank;
        this.peers = new Peer[links.size() + 1];
        for (Link link : links) {
            Peer peer = new Peer(link, limits);
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

    void register(GroupState group) {
        groups.put(group.id(), group);
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
            peer.outbox().flush();
        }
    }
}

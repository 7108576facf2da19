package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.Path;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The ranks of the world as one of them knows them: itself and its peers. Owned by the loop. */
final class Ranks {

    private final int own;
    private final @Nullable Peer[] peers;
    private final List<Peer> all = new ArrayList<>();

    /** @param links a link to every other rank, in the order of ranks */
    Ranks(int own, List<? extends Link> links, EngineLimits limits) {
        this.own = own;
        this.peers = new Peer[links.size() + 1];
        for (Link link : links) {
            Peer peer = new Peer(link.peer(), new Path(link, limits, links.size()));
            peers[link.peer()] = peer;
            all.add(peer);
        }
    }

    /** {@return this rank} */
    int own() {
        return own;
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

    /** {@return the other members of a group, in group order} */
    List<Peer> others(GroupState group) {
        List<Peer> others = new ArrayList<>(group.size());
        for (int member : group.worldRanks()) {
            if (member != own) {
                others.add(peer(member));
            }
        }
        return others;
    }

    /** Tells all other members of a group that can still be reached. */
    void tell(GroupState group, Frame frame) {
        for (Peer peer : others(group)) {
            if (peer.isUp()) {
                peer.tell(frame);
            }
        }
    }

    void flush() {
        for (Peer peer : all) {
            peer.path().flush();
        }
    }
}

package io.reactivecomm.internal.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The other ranks of one call, in the order in which its steps name them.
 *
 * <p>Nearly all calls deal with a handful: those are found by looking at each. Owned by the loop.
 */
final class Partners {

    /** No partner. */
    static final Partners NONE = new Partners();

    private static final Partner[] NOBODY = new Partner[0];

    /** More than this many are found through a map. */
    private static final int FEW = 8;

    private Partner[] all = NOBODY;
    private int size;
    private @Nullable Map<Peer, Partner> byPeer;

    int size() {
        return size;
    }

    Partner get(int index) {
        return all[index];
    }

    @Nullable Partner find(Peer peer) {
        if (byPeer != null) {
            return byPeer.get(peer);
        }
        for (int i = 0; i < size; i++) {
            if (all[i].peer == peer) {
                return all[i];
            }
        }
        return null;
    }

    /** {@return the ranks of the world, in order, of those for whom that is so} */
    List<Integer> ranks(Predicate<Partner> isSo) {
        List<Integer> ranks = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            if (isSo.test(all[i])) {
                ranks.add(all[i].peer.rank());
            }
        }
        ranks.sort(null);
        return ranks;
    }

    void add(Partner partner) {
        if (size == all.length) {
            all = Arrays.copyOf(all, size == 0 ? 1 : size * 2);
        }
        all[size++] = partner;
        if (byPeer != null) {
            byPeer.put(partner.peer, partner);
        } else if (size > FEW) {
            indexAll();
        }
    }

    private void indexAll() {
        Map<Peer, Partner> index = new HashMap<>();
        for (int i = 0; i < size; i++) {
            index.put(all[i].peer, all[i]);
        }
        byPeer = index;
    }
}

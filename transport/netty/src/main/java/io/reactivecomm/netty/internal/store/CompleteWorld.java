package io.reactivecomm.netty.internal.store;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ranks whose world has become complete at a store, as long as they are connected with it. So a latecomer who claims one of them, or
 * another size, is told. A rank that goes is told to those that are not connected with all others yet. Later it is for the links to tell,
 * and as many ranks as there are in a large world leave at one time.
 *
 * <p><b>Threads.</b> The store's.
 */
final class CompleteWorld {

    private final Map<Integer, RollCall.Member> ranks = new HashMap<>();
    private final Set<RollCall.Member> connecting = new HashSet<>();
    private long completeAt;
    /** A rank of a world that none has left yet. */
    private Roster.@Nullable Entry whole;

    /** Takes over all ranks of a world, which begin to connect. */
    void begin(List<RollCall.Member> members, long now) {
        connecting.addAll(members);
        members.forEach(member -> ranks.put(member.entry().rank(), member));
        whole = members.getFirst().entry();
        completeAt = now;
    }

    /** {@return a rank of a world that none has left yet, or null; while there is one, nobody else is present} */
    Roster.@Nullable Entry whole() {
        return whole;
    }

    /** {@return who is that rank now, or null} */
    RollCall.@Nullable Member rank(int rank) {
        return ranks.get(rank);
    }

    /** {@return the size of the world that any of these ranks is in} */
    Optional<Integer> size() {
        return ranks.values().stream().findFirst().map(any -> any.entry().worldSize());
    }

    /** A rank is connected with all others: its links tell it the rest. */
    void connected(RollCall.Member member) {
        connecting.remove(member);
    }

    /** A rank that an older world has left behind may go without harm to this one. */
    void leave(RollCall.Member member, long now) {
        connecting.remove(member);
        if (!ranks.remove(member.entry().rank(), member)) {
            return;
        }
        if (whole != null && whole.worldSize() == member.entry().worldSize()) {
            whole = null;
        }
        if (now - completeAt < Roster.CONNECT_NANOS) {
            connecting.forEach(other -> other.without(member.entry().rank(), member.origin()));
        }
    }
}

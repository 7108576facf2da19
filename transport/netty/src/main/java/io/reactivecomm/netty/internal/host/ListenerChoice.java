package io.reactivecomm.netty.internal.host;

import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.spi.rendezvous.MeetingRecord;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The choice of an address on which rank 0 listens, so that the ranks of all machines reach it.
 *
 * <p>On one machine it is loopback. Otherwise each other machine has a vote for each address of rank 0's that a packet to one of its addresses would leave
 * from. The address with most votes wins, and among equals the first. Addresses that another machine has, too, are no way between the two: bridges
 * for containers have the same one everywhere. Only where that leaves none do they count, for then both share one network.
 *
 * @param ranks what they say of themselves, rank 0 first
 * @param routes the routes of rank 0's machine
 */
public record ListenerChoice(List<MeetingRecord.Hello> ranks, Routes routes) {

    /** Routes of a machine. */
    public interface Routes {

        /** {@return the address from which a packet to that one would leave, or null if none would} */
        @Nullable InetAddress sourceTowards(InetAddress there);
    }

    /** {@return the address; loopback if all are on one machine} */
    public InetAddress choose() {
        Map<String, Set<InetAddress>> others = otherMachines();
        if (others.isEmpty()) {
            return Addresses.resolve(StoreAddress.LOOPBACK, 0).getAddress();
        }
        List<InetAddress> own = ranks.getFirst().addresses();
        if (own.isEmpty()) {
            throw new RendezvousException(
                    "rank 0's machine has no address beyond loopback, and the ranks are on several machines: machines="
                            + (1 + others.size())
                            + "; connect it to their network, or set RCOMM_HOST_ID alike on ranks that share its loopback");
        }
        List<InetAddress> candidates = new ArrayList<>(own);
        others.values().forEach(candidates::removeAll);
        return candidates.isEmpty() ? mostVoted(own, others.values()) : mostVoted(candidates, others.values());
    }

    /** {@return how many machines the ranks are on} */
    public int machines() {
        return 1 + otherMachines().size();
    }

    private Map<String, Set<InetAddress>> otherMachines() {
        Map<String, Set<InetAddress>> others = new LinkedHashMap<>();
        for (MeetingRecord.Hello rank : ranks) {
            if (!rank.machine().equals(ranks.getFirst().machine())) {
                others.computeIfAbsent(rank.machine(), ignored -> new LinkedHashSet<>())
                        .addAll(rank.addresses());
            }
        }
        return others;
    }

    private InetAddress mostVoted(List<InetAddress> candidates, Collection<Set<InetAddress>> others) {
        Map<InetAddress, Integer> votes = new LinkedHashMap<>();
        candidates.forEach(candidate -> votes.put(candidate, 0));
        for (Set<InetAddress> machine : others) {
            votesOf(machine).forEach(source -> votes.computeIfPresent(source, (ignored, count) -> count + 1));
        }
        InetAddress best = candidates.getFirst();
        for (InetAddress candidate : candidates) {
            best = votes.getOrDefault(candidate, 0) > votes.getOrDefault(best, 0) ? candidate : best;
        }
        return best;
    }

    private Set<InetAddress> votesOf(Set<InetAddress> machine) {
        Set<InetAddress> sources = new HashSet<>();
        for (InetAddress there : machine) {
            InetAddress source = routes.sourceTowards(there);
            if (source != null) {
                sources.add(source);
            }
        }
        return sources;
    }
}

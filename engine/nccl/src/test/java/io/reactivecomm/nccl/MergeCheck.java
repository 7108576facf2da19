package io.reactivecomm.nccl;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The comparison of what ranks have launched: NCCL wants the same groups of the same calls, in one order, of each communicator and of all that two ranks share. */
final class MergeCheck {

    private MergeCheck() {}

    /** {@return what differs between ranks, in words; empty if nothing does} */
    static List<String> difference(List<NcclDouble.Launch> launches) {
        List<String> differences = new ArrayList<>();
        Map<Long, Map<Integer, List<String>>> byCommunicator = new HashMap<>();
        Map<Long, List<NcclDouble.Launch>> byThread = new TreeMap<>();
        for (NcclDouble.Launch launch : launches) {
            byCommunicator
                    .computeIfAbsent(launch.communicator(), ignored -> new TreeMap<>())
                    .computeIfAbsent(launch.rank(), ignored -> new ArrayList<>())
                    .add(launch.text());
            byThread.computeIfAbsent(launch.thread(), ignored -> new ArrayList<>())
                    .add(launch);
        }
        byCommunicator.forEach((communicator, byRank) -> {
            if (byRank.values().stream().distinct().count() > 1) {
                differences.add("ranks have merged otherwise: communicator=" + communicator + ", launches=" + byRank);
            }
        });
        List<List<NcclDouble.Launch>> all = List.copyOf(byThread.values());
        for (int one = 0; one < all.size(); one++) {
            for (int other = one + 1; other < all.size(); other++) {
                if (!order(all.get(one), all.get(other)).equals(order(all.get(other), all.get(one)))) {
                    differences.add("two ranks have launched what they share in another order: threads="
                            + all.get(one).getFirst().thread() + ", "
                            + all.get(other).getFirst().thread());
                }
            }
        }
        return differences;
    }

    /** {@return the communicators of those launches of one thread that another has, too, in their order} */
    private static List<Long> order(List<NcclDouble.Launch> launches, List<NcclDouble.Launch> others) {
        List<Long> shared =
                others.stream().map(NcclDouble.Launch::communicator).distinct().toList();
        return launches.stream()
                .map(NcclDouble.Launch::communicator)
                .filter(shared::contains)
                .toList();
    }
}

package io.reactivecomm.sequence;

import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.engine.EngineCall;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Lengths on which only two ranks must agree, as reported to the leader: parts of gathers, scatters and all-to-alls, and messages of scopes. Each of the two
 * ranks reports a number for the data between them, and the leader compares the numbers.
 */
final class Exchanges {

    private static final Long NOTHING = 0L;

    private Exchanges() {}

    /** {@return a number for each other rank with which a call exchanges data, by world rank} */
    static Map<Integer, Long> of(EngineCall call) {
        List<Integer> worldRanks = call.group().worldRanks();
        Map<Integer, Long> exchanged = new TreeMap<>();
        call.collective()
                .agreements(call.group().rank(), worldRanks.size())
                .forEach((peer, number) -> exchanged.put(worldRanks.get(peer), number));
        return exchanged;
    }

    /** {@return the first rank whose number for a peer differs from that peer's number for it, or null} */
    static @Nullable Integer differing(int rank, Notice.Ready ready, Map<Integer, Notice.Ready> said) {
        for (Map.Entry<Integer, Notice.Ready> each : said.entrySet()) {
            Long there = each.getValue().exchanged().getOrDefault(rank, NOTHING);
            if (each.getKey() != rank
                    && !ready.exchanged().getOrDefault(each.getKey(), NOTHING).equals(there)) {
                return each.getKey();
            }
        }
        return null;
    }

    /** {@return the first rank that called something else than the first that spoke, or else exchanges something else with another} */
    static int culprit(List<Integer> worldRanks, Map<Integer, Notice.Ready> said) {
        Signature first = null;
        Integer differing = null;
        for (int rank : worldRanks) {
            Notice.Ready ready = said.get(rank);
            if (ready != null) {
                first = first == null ? ready.signature() : first;
                if (!first.equals(ready.signature())) {
                    return rank;
                }
                differing = differing == null ? differing(rank, ready, said) : differing;
            }
        }
        return differing == null ? worldRanks.getFirst() : differing;
    }
}

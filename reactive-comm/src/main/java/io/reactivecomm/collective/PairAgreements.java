package io.reactivecomm.collective;

import java.util.Map;
import java.util.TreeMap;

/** The numbers by which two ranks compare how many elements they exchange. */
final class PairAgreements {

    private PairAgreements() {}

    /** {@return the numbers of a call in which every two ranks exchange parts} */
    static Map<Integer, Long> ofAll(int rank, Partition sends, Partition takes) {
        Map<Integer, Long> agreements = new TreeMap<>();
        for (int peer = 0; peer < sends.parts(); peer++) {
            if (peer != rank) {
                agreements.put(peer, of(rank, peer, sends.count(peer), takes.count(peer)));
            }
        }
        return agreements;
    }

    /** {@return the numbers of the root of a gather or a scatter} */
    static Map<Integer, Long> ofRoot(int root, Partition parts) {
        Map<Integer, Long> agreements = new TreeMap<>();
        for (int peer = 0; peer < parts.parts(); peer++) {
            if (peer != root) {
                agreements.put(peer, number(parts.count(peer), 0));
            }
        }
        return agreements;
    }

    /** {@return the number of another rank of a gather or a scatter, for the root} */
    static Map<Integer, Long> ofLeaf(int root, long count) {
        return Map.of(root, number(count, 0));
    }

    /** The count that goes to the higher rank comes first, on both ranks. */
    private static long of(int rank, int peer, long sent, long taken) {
        return rank < peer ? number(sent, taken) : number(taken, sent);
    }

    private static long number(long first, long second) {
        return Fingerprint.mix(Fingerprint.mix(0, first), second);
    }
}

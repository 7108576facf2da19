package io.reactivecomm.collective;

import java.util.Map;
import java.util.TreeMap;

/** The numbers by which each two ranks compare how many elements go between them. */
final class PairAgreements {

    private PairAgreements() {}

    /** {@return those of a call in which each two ranks exchange their parts} */
    static Map<Integer, Long> ofAll(int rank, Partition sends, Partition takes) {
        Map<Integer, Long> agreements = new TreeMap<>();
        for (int peer = 0; peer < sends.parts(); peer++) {
            if (peer != rank) {
                agreements.put(peer, of(rank, peer, sends.count(peer), takes.count(peer)));
            }
        }
        return agreements;
    }

    /** {@return those of the root of a gather or a scatter} */
    static Map<Integer, Long> ofRoot(int root, Partition parts) {
        Map<Integer, Long> agreements = new TreeMap<>();
        for (int peer = 0; peer < parts.parts(); peer++) {
            if (peer != root) {
                agreements.put(peer, number(parts.count(peer), 0));
            }
        }
        return agreements;
    }

    /** {@return that of another rank with the root of a gather or a scatter} */
    static Map<Integer, Long> ofLeaf(int root, long count) {
        return Map.of(root, number(count, 0));
    }

    /** Both ranks have the elements first that go to the higher one. */
    private static long of(int rank, int peer, long sent, long taken) {
        return rank < peer ? number(sent, taken) : number(taken, sent);
    }

    private static long number(long first, long second) {
        return Fingerprint.mix(Fingerprint.mix(0, first), second);
    }
}

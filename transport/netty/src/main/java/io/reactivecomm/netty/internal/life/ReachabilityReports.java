package io.reactivecomm.netty.internal.life;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The reports of each rank on the others: whom it suspects, from whom it is cut, whom it has found lost. Two ranks are cut if one of them
 * says so.
 *
 * <p><b>Threads.</b> The control thread.
 */
final class ReachabilityReports {

    private final int rank;
    private final BitSet[] suspects;
    private final BitSet[] cuts;
    private final BitSet[] lost;

    /** @param rank this one, which says what it likes to the sets themselves */
    ReachabilityReports(int rank, int worldSize) {
        this.rank = rank;
        this.suspects = sets(worldSize);
        this.cuts = sets(worldSize);
        this.lost = sets(worldSize);
    }

    private static BitSet[] sets(int count) {
        BitSet[] sets = new BitSet[count];
        for (int i = 0; i < count; i++) {
            sets[i] = new BitSet();
        }
        return sets;
    }

    /** {@return whom a rank has been missing for a while, as it says} */
    BitSet suspects(int of) {
        return suspects[of];
    }

    /** {@return from whom a rank is cut, as it says} */
    BitSet cuts(int of) {
        return cuts[of];
    }

    /** {@return whom a rank has found lost, as it says} */
    BitSet lost(int of) {
        return lost[of];
    }

    /** Takes what a rank says now in place of what it said before. */
    void take(int of, BitSet suspected, BitSet cutFrom, BitSet found) {
        copy(suspected, suspects[of]);
        copy(cutFrom, cuts[of]);
        copy(found, lost[of]);
    }

    private void copy(BitSet from, BitSet to) {
        to.clear();
        to.or(from);
        to.clear(cuts.length, Math.max(cuts.length, to.length()));
    }

    void forget(int of) {
        suspects[of].clear();
        cuts[of].clear();
        lost[of].clear();
    }

    boolean areCut(int one, int other) {
        return cuts[one].get(other) || cuts[other].get(one);
    }

    /**
     * {@return of whom there may be anything to judge: the ends of all cuts, and whom anybody has found lost}
     *
     * @param among whose word counts, and who is judged
     */
    BitSet accused(BitSet among) {
        BitSet accused = new BitSet();
        for (int each = among.nextSetBit(0); each >= 0; each = among.nextSetBit(each + 1)) {
            accused.or(lost[each]);
            if (!cuts[each].isEmpty()) {
                accused.or(cuts[each]);
                accused.set(each);
            }
        }
        accused.and(among);
        return accused;
    }

    /** {@return from whom among those a rank is cut} */
    List<Integer> cutFrom(int each, BitSet among) {
        List<Integer> from = new ArrayList<>();
        for (int other = among.nextSetBit(0); other >= 0; other = among.nextSetBit(other + 1)) {
            if (other != each && areCut(each, other)) {
                from.add(other);
            }
        }
        return from;
    }

    /** {@return a peer among those that says that a rank is lost, or -1} */
    int reporter(int each, BitSet among) {
        for (int peer = among.nextSetBit(0); peer >= 0; peer = among.nextSetBit(peer + 1)) {
            if (peer != rank && lost[peer].get(each)) {
                return peer;
            }
        }
        return -1;
    }
}

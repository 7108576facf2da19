package io.reactivecomm.internal.schedule.hosts;

import io.reactivecomm.internal.schedule.flat.BinomialBroadcast;
import java.util.stream.IntStream;

/**
 * Broadcast down a binomial tree of hosts, and within each from its leader: the tree is that of {@link BinomialBroadcast}.
 *
 * <pre>
 * four hosts of two ranks, root 0:   0 → 4, 2, 1     4 → 6, 5     2 → 3     6 → 7
 * </pre>
 *
 * <p><b>Cost.</b> ⌊log₂ h⌋ steps between h hosts, and one within; the root's host sends S·⌈log₂ h⌉ bytes.
 */
public final class HierarchicalBinomialBroadcast extends HierarchicalBroadcast {

    @Override
    public String name() {
        return "hierarchical-binomial";
    }

    @Override
    int parent(int fromRoot) {
        return fromRoot - Integer.lowestOneBit(fromRoot);
    }

    /** The farthest subtree first: it has most to do. */
    @Override
    int[] children(int fromRoot, int hosts) {
        int number = BinomialBroadcast.children(fromRoot, hosts);
        return IntStream.range(0, number)
                .map(i -> fromRoot + (1 << number - 1 - i))
                .toArray();
    }

    @Override
    int stepsTo(int fromRoot) {
        return Integer.bitCount(fromRoot);
    }

    @Override
    int fillSteps(int hosts) {
        return 0;
    }

    @Override
    long pieceElements(long total, int hosts) {
        return 0;
    }
}

package io.reactivecomm.internal.schedule.hosts;

/**
 * Broadcast along a chain of hosts, streaming, and within each from its leader.
 *
 * <pre>
 * three hosts of two ranks, root 1:   1 → 0, 3     3 → 2, 5     5 → 4
 * </pre>
 *
 * <p><b>Cost.</b> h−1 steps between h hosts, pipelined, and one within the last; each host sends and receives at most S bytes.
 */
public final class HierarchicalChainBroadcast extends HierarchicalBroadcast {

    @Override
    public String name() {
        return "hierarchical-chain";
    }

    @Override
    int parent(int fromRoot) {
        return fromRoot - 1;
    }

    @Override
    int[] children(int fromRoot, int hosts) {
        return fromRoot + 1 < hosts ? new int[] {fromRoot + 1} : new int[0];
    }

    @Override
    int stepsTo(int fromRoot) {
        return fromRoot;
    }

    @Override
    int fillSteps(int hosts) {
        return hosts - 2;
    }

    @Override
    long pieceElements(long total, int hosts) {
        return HostPieces.wholeElements(total, hosts);
    }
}

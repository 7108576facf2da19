package io.reactivecomm.internal.schedule;

import io.reactivecomm.Operation;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.collective.Partitions;
import io.reactivecomm.internal.schedule.choice.Offer;

/**
 * The costs as docs/algorithms.md states them, of a call of S = 4·n elements on ranks with a host each.
 *
 * @param sent the most that a rank sends
 * @param received the most that a rank receives
 */
record Documented(Operation operation, int size, int root, int steps, long sent, long received) {

    static Documented of(Offer offer, int n, int root) {
        long s = 4L * n;
        int up = (int) Math.ceil(Math.log(n) / Math.log(2) - 1e-9);
        int down = (int) Math.floor(Math.log(n) / Math.log(2) + 1e-9);
        boolean isPowerOfTwo = up == down;
        int one = n > 1 ? 1 : 0;
        long all = s * (n - 1);
        long others = s * (n - 1) / n;
        String key = offer.row();
        return switch (key) {
            case "all-reduce=gather-fold",
                    "all-reduce=staged-gather-fold",
                    "inference-all-reduce=gather-fold",
                    "inference-all-reduce=staged-gather-fold" -> of(offer, n, root, one, all, all);
            case "all-reduce=rank-order-direct", "inference-all-reduce=rank-order-direct" ->
                of(offer, n, root, 2 * one, 2 * others, 2 * others);
            case "all-reduce=hierarchical-direct", "inference-all-reduce=hierarchical-direct" ->
                of(offer, n, root, 2 * one, 2 * others, 2 * others);
            case "all-reduce=hierarchical-chain" ->
                of(offer, n, root, 2 * (n - 1), n > 2 ? 2 * s : s * one, n > 2 ? 2 * s : s * one);
            case "all-reduce=ring", "all-reduce=hierarchical-ring" ->
                of(offer, n, root, 2 * (n - 1), 2 * others, 2 * others);
            case "all-reduce=recursive-doubling" -> {
                long most = s * (down + (isPowerOfTwo ? 0 : 1));
                boolean isPastThreeHalves = 2 * n > 3 * (1 << down);
                yield of(offer, n, root, down + (isPowerOfTwo ? 0 : isPastThreeHalves ? 2 : 1), most, most);
            }
            case "reduce=hierarchical-chain" ->
                of(
                        offer,
                        n,
                        root,
                        n == 1 ? 0 : root == n - 1 ? n - 1 : n,
                        s * one,
                        root > 0 && root < n - 1 ? 2 * s : s * one);
            case "broadcast=hierarchical-binomial" -> of(offer, n, root, down, s * up, s * one);
            case "broadcast=hierarchical-chain" -> of(offer, n, root, n - 1, s * one, s * one);
            case "all-gather=hierarchical-direct" -> of(offer, n, root, one, others, others);
            case "reduce-scatter=hierarchical-chain" ->
                of(offer, n, root, n == 1 ? 0 : n, s * one, n == 1 ? 0 : n == 2 ? s : s + s / n);
            case "reduce-scatter=hierarchical-ring" -> of(offer, n, root, n - 1, others, others);
            case "reduce=direct" -> of(offer, n, root, one, s * one, all);
            case "reduce=rank-order-direct" -> of(offer, n, root, 2 * one, s * one, 2 * others);
            case "reduce=rank-order-chain" ->
                of(offer, n, root, n == 1 ? 0 : root == n - 1 ? n - 1 : n, s * one, s * one);
            case "reduce=binomial" -> of(offer, n, root, down, s * one, s * up);
            case "broadcast=binomial" -> of(offer, n, root, down, s * up, s * one);
            case "broadcast=chain" -> of(offer, n, root, n - 1, s * one, s * one);
            case "all-gather=direct", "reduce-scatter=rank-order-direct", "all-to-all=direct" ->
                of(offer, n, root, one, others, others);
            case "all-gather=ring", "reduce-scatter=ring", "all-to-all=pairwise" ->
                of(offer, n, root, n - 1, others, others);
            case "all-to-all=bruck" -> {
                long ones = 0;
                for (int distance = 1; distance < n; distance++) {
                    ones += Integer.bitCount(distance);
                }
                boolean isPastThreeHalves = n > 1 && 2 * n > 3 * (1 << up - 1);
                yield of(
                        offer,
                        n,
                        root,
                        isPastThreeHalves || n == 2 ? up : Math.max(0, up - 1),
                        s / n * ones,
                        s / n * ones);
            }
            case "gather=direct" -> of(offer, n, root, one, s / n * one, others);
            case "scatter=direct" -> of(offer, n, root, one, others, s / n * one);
            case "barrier=dissemination" -> of(offer, n, root, up, 0, 0);
            case "monitored-barrier=star" -> of(offer, n, root, 2 * one, 0, 0);
            default -> throw new AssertionError("not documented: " + key);
        };
    }

    private static Documented of(Offer offer, int size, int root, int steps, long sent, long received) {
        return new Documented(offer.operation(), size, root, steps, sent, received);
    }

    Partitions partitions(int rank) {
        Partition whole = Partition.whole(4L * size);
        Partition part = Partition.whole(4);
        Partition parts = Partition.even(size, 4);
        return switch (operation) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, BROADCAST -> new Partitions(whole, whole);
            case ALL_GATHER -> new Partitions(part, parts);
            case REDUCE_SCATTER -> new Partitions(parts, part);
            case ALL_TO_ALL -> new Partitions(parts, parts);
            case GATHER -> new Partitions(part, rank == root ? parts : Partition.nothing());
            case SCATTER -> new Partitions(rank == root ? parts : Partition.nothing(), part);
            case BARRIER, MONITORED_BARRIER, NEW_GROUP, MESSAGE, COALESCED -> Partitions.NONE;
        };
    }
}

package io.reactivecomm.samples.programs.train;

/**
 * The part of some items that falls to one rank: contiguous, and of sizes that differ by at most one. The shares of all ranks are disjoint
 * and cover all; where there are fewer items than ranks some are empty.
 *
 * @param from the first item
 * @param to the first item after the share
 */
public record Share(int from, int to) {

    public static Share of(int items, int rank, int ranks) {
        return new Share(bound(items, rank, ranks), bound(items, rank + 1, ranks));
    }

    private static int bound(int items, int rank, int ranks) {
        return (int) ((long) items * rank / ranks);
    }
}

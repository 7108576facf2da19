package io.reactivecomm.samples.programs.train;

/**
 * The part of some items that falls to one rank: contiguous, and of sizes that differ by at most one unless they {@linkplain #growing grow}. The shares of all ranks are disjoint
 * and cover all; where there are fewer items than ranks some are empty.
 *
 * @param from the first item
 * @param to the first item after the share
 */
public record Share(int from, int to) {

    public static Share of(int items, int rank, int ranks) {
        return new Share(bound(items, rank, ranks), bound(items, rank + 1, ranks));
    }

    /** {@return a part whose size grows with the rank: of six items on three ranks 1, 2 and 3} */
    static Share growing(int items, int rank, int ranks) {
        long whole = (long) ranks * (ranks + 1);
        return new Share(
                (int) (items * ((long) rank * (rank + 1)) / whole), (int) (items * ((rank + 1L) * (rank + 2)) / whole));
    }

    private static int bound(int items, int rank, int ranks) {
        return (int) ((long) items * rank / ranks);
    }
}

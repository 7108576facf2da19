package io.reactivecomm.schedule;

import io.reactivecomm.collective.Signature;

/**
 * Which algorithm serves which call.
 *
 * <p>It looks only at what all ranks of a call agree on, so that they choose alike.
 *
 * @param gatherFoldBytes all-reduces of at most so many bytes, times ranks, go by {@link GatherFoldAllReduce}
 * @param chainBytes reduces of at least so many bytes go by {@link ChainReduce} in groups of more than three
 */
public record Selection(long gatherFoldBytes, long chainBytes) {

    /**
     * 16 KiB in total: below it a step costs more than the bytes it saves. 1 MiB for the chain: there the root's link, not the number of
     * steps, bounds a direct reduce.
     */
    public static final Selection DEFAULT = new Selection(16 << 10, 1 << 20);

    private static final int CHAIN_RANKS = 4;

    private static final Algorithm GATHER_FOLD = new GatherFoldAllReduce();
    private static final Algorithm RANK_ORDER = new RankOrderAllReduce();
    private static final Algorithm DIRECT_REDUCE = new DirectReduce();
    private static final Algorithm CHAIN_REDUCE = new ChainReduce();
    private static final Algorithm BROADCAST = new BinomialBroadcast();
    private static final Algorithm ALL_GATHER = new DirectAllGather();
    private static final Algorithm REDUCE_SCATTER = new RankOrderReduceScatter();
    private static final Algorithm BARRIER = new DisseminationBarrier();

    /**
     * {@return this selection, with gather-fold only for tensors whose transfers need no grant}
     * Its fold waits for its sends, so a send that waited for the peer's fold to grant it would wait for ever.
     *
     * @param eagerBytes the largest transfer that travels without a grant
     */
    public Selection within(int eagerBytes) {
        return new Selection(Math.min(gatherFoldBytes, 2L * eagerBytes), chainBytes);
    }

    /** {@return the algorithm for a collective of that signature in a group of {@code size} ranks} */
    public Algorithm algorithm(Signature signature, int size) {
        long bytes = signature.count() * signature.type().byteSize();
        return switch (signature.operation()) {
            case ALL_REDUCE -> size == 1 || bytes <= gatherFoldBytes / size ? GATHER_FOLD : RANK_ORDER;
            case REDUCE -> size >= CHAIN_RANKS && bytes >= chainBytes ? CHAIN_REDUCE : DIRECT_REDUCE;
            case BROADCAST -> BROADCAST;
            case ALL_GATHER -> ALL_GATHER;
            case REDUCE_SCATTER -> REDUCE_SCATTER;
            case BARRIER -> BARRIER;
            case MESSAGE -> throw new IllegalArgumentException("a message has no algorithm to choose");
        };
    }
}

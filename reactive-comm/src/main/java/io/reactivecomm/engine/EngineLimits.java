package io.reactivecomm.engine;

/**
 * The bounds within which an engine works; all ranks of a world use the same.
 *
 * @param pieceBytes largest piece that one grant covers
 * @param windowBytes bytes that may be granted and not yet here, for each peer
 * @param eagerBytes largest transfer that travels with its announcement instead of waiting for a grant
 * @param stagingBytes memory for pieces that wait to be folded, in all
 * @param foldDepth pieces of one fold that may be under way at once
 * @param openCredit opened calls that a peer may not know yet, for each peer; beyond it, calls wait on this side
 * @param parkedOpens opened calls of a peer that are kept until this rank begins them; further ones are dropped and asked for again
 * @param parkedBytes eager bytes kept for the same reason, for each peer
 * @param tombstones failed calls that are remembered for those who begin them later
 * @param stallNanos how long a call waits before this rank asks the others about it, and between questions
 * @param disputeNanos how long the first rank of a group collects who called what
 */
public record EngineLimits(
        int pieceBytes,
        int windowBytes,
        int eagerBytes,
        long stagingBytes,
        int foldDepth,
        int openCredit,
        int parkedOpens,
        int parkedBytes,
        int tombstones,
        long stallNanos,
        long disputeNanos) {

    /**
     * Pieces of 256 KiB stay in a core's second-level cache between arrival and fold; four of them in flight cover a loopback's or a data
     * centre's bandwidth-delay product. The times are the design's: five seconds until a waiting call is worth a warning, a tenth of a
     * second for a disagreement.
     */
    public static final EngineLimits DEFAULT = new EngineLimits(
            256 << 10, 1 << 20, 8 << 10, 64L << 20, 4, 512, 256, 1 << 20, 1024, 5_000_000_000L, 100_000_000L);

    public EngineLimits {
        if (pieceBytes < 8 || windowBytes < pieceBytes || openCredit <= parkedOpens || foldDepth < 1) {
            throw new IllegalArgumentException("engine limits contradict each other: pieceBytes=" + pieceBytes + ", windowBytes=" + windowBytes
                    + ", openCredit=" + openCredit + ", parkedOpens=" + parkedOpens + "; a window holds a piece, a credit exceeds what is parked");
        }
    }
}

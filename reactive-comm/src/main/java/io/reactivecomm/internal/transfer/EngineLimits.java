package io.reactivecomm.internal.transfer;

/**
 * The bounds within which an engine works; all ranks of a world use the same.
 *
 * @param pieceBytes largest usual piece: of what is folded, passed on, or still being made, and over most links of all else
 * @param bulkBytes largest piece that one grant covers: of what lies ready and only has to be moved, over links that want that; two of them
 *     may be granted and not yet here, for each peer, beside the windows
 * @param windowBytes bytes that may be granted and not yet here, for each peer; as many again that the peer has still to make. Where the way
 *     is long they {@linkplain #grownWindowBytes grow}
 * @param eagerBytes largest transfer that travels with its announcement instead of waiting for a grant
 * @param stagingBytes memory for pieces that wait to be folded, in all
 * @param foldDepth pieces of one fold that may be under way at once
 * @param sliceBytes what a step that waits for nobody does at once, roughly; then others have their turn
 * @param openings how far ranks may be ahead of each other, for each peer
 * @param messageCredit messages that a peer may not have received yet, for each peer
 * @param tombstones failed calls that are remembered for those who begin them later
 * @param stallNanos how long a call waits before this rank asks the others about it, and between questions
 * @param disputeNanos how long the first rank of a group collects who called what, of ranks that could answer and do not
 */
public record EngineLimits(
        int pieceBytes,
        int bulkBytes,
        int windowBytes,
        int eagerBytes,
        long stagingBytes,
        int foldDepth,
        int sliceBytes,
        Openings openings,
        int messageCredit,
        int tombstones,
        long stallNanos,
        long disputeNanos) {

    /**
     * The lead that ranks may have of each other. A credit exceeds what the peer parks, in calls and in bytes, so that it always comes back.
     *
     * @param credit opened calls that the peer may not know yet; beyond it, calls wait on this side
     * @param creditBytes what they cost a peer that parks them; the last one may pass that
     * @param parked opened calls of the peer that are kept until this rank begins them; further ones are dropped and asked for again
     * @param parkedBytes their eager bytes, and a little for each edge
     */
    public record Openings(int credit, int creditBytes, int parked, int parkedBytes) {

        /** A burst of a thousand tensors of a kilobyte, which a rank may send before the other has begun them, stays within this. */
        public static final Openings DEFAULT = new Openings(4096, 4 << 20, 2048, 2 << 20);

        public Openings {
            if (credit <= parked || creditBytes <= parkedBytes) {
                throw new IllegalArgumentException("limits of openings contradict each other: credit=" + credit
                        + ", parked=" + parked + ", creditBytes=" + creditBytes + ", parkedBytes=" + parkedBytes
                        + "; a credit exceeds what is parked");
            }
        }
    }

    /**
     * Pieces of 256 KiB stay in a core's second-level cache between arrival and fold; four of them in flight cover a loopback's or a data
     * centre's bandwidth-delay product; on a longer way the window follows it. What is only moved leaves the caches anyway, and fewer, longer copies are faster. A slice
     * takes a millisecond or two, ten where each page is touched for the first time. The times are the design's: five seconds until a waiting
     * call is worth a warning. A disagreement is settled as soon as all have answered: a loop that does not turn says so after one second, and two are enough for the
     * news.
     */
    public static final EngineLimits DEFAULT = new EngineLimits(
            256 << 10,
            1 << 20,
            1 << 20,
            64 << 10,
            64L << 20,
            4,
            4 << 20,
            Openings.DEFAULT,
            512,
            1024,
            5_000_000_000L,
            2_000_000_000L);

    /** Less is no help to small calls, whatever a rank with very many peers may then have to keep. */
    private static final int LEAST_EAGER_WINDOW_BYTES = 256 << 10;

    public EngineLimits {
        if (pieceBytes < 8
                || bulkBytes < pieceBytes
                || windowBytes < pieceBytes
                || messageCredit < 1
                || foldDepth < 1
                || sliceBytes < 1) {
            throw new IllegalArgumentException("engine limits contradict each other: pieceBytes=" + pieceBytes
                    + ", bulkBytes=" + bulkBytes
                    + ", windowBytes=" + windowBytes + ", messageCredit=" + messageCredit + ", foldDepth=" + foldDepth
                    + ", sliceBytes=" + sliceBytes
                    + "; a window and what is moved in bulk hold a piece, and something is always under way");
        }
    }

    /**
     * {@return the most bytes that a window may grow to where so many peers' windows have grown}
     * All windows of one kind, of what is ready or of what is still being made, together hold no more than there is staging memory, unless that left
     * less than usual windows: what is folded has to wait there.
     */
    public long grownWindowBytes(int peers) {
        return Math.max(windowBytes, stagingBytes / Math.max(1, peers));
    }

    /** {@return the most bytes that may occupy any one window over a link that does not lend, as long as it has not grown} */
    public long largestWindowBytes() {
        return bulkBytes == pieceBytes ? windowBytes : Math.max(windowBytes, 2L * bulkBytes);
    }

    /**
     * {@return bytes that may have travelled with announcements to one of so many peers and be kept there}
     * A rank keeps no more from all than it has staging memory, unless that left less than a usable window; calls that need no grants are not
     * held to it. Half of what is parked is for these bytes, so that no opening is dropped for them unless it is of such a call.
     */
    public long eagerWindowBytes(int peers) {
        long share = Math.max(LEAST_EAGER_WINDOW_BYTES, stagingBytes / Math.max(1, peers));
        return Math.max(eagerBytes, Math.min(openings.parkedBytes() / 2, share));
    }
}

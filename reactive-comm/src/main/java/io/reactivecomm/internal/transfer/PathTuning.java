package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.Link;

/**
 * The tuning of pieces to and from one peer, decided once from the link and the limits.
 *
 * @param pieceBytes the largest usual piece
 * @param bulkBytes the largest piece of what lies ready and only has to be moved
 * @param windowBytes bytes that may be granted and not yet here, and as many again that are still being made
 * @param eagerBytes the largest edge that travels with its announcement
 * @param copiedBytes the same where other ranks' operands have to be waited for, and a grant would cost no copy
 * @param foldDepth pieces of a fold that may be under way at once
 * @param ahead pieces of an edge that may be asked for before they are announced
 */
public record PathTuning(int pieceBytes, int bulkBytes, long windowBytes, int eagerBytes, int copiedBytes, int foldDepth, int ahead) {

    /** Pieces of an edge that are asked for before they are announced: one that is being made, and the next. */
    public static final int USUALLY_AHEAD = 2;

    /** The most that a peer may ask for; it does so where payloads are read in place. */
    public static final int MOST_AHEAD = 32;

    /** How much more may be asked for at once where nothing is moved: what keeps a reader going while the sender is busy with a piece. */
    private static final int LENT_TIMES = 16;

    /**
     * Where memory is shared, what has to wait for other ranks' operands was copied into the link and has to be copied out of it. On four ranks
     * 64 KiB take 50 µs instead of 65.
     */
    private static final int MOST_COPIED_BYTES = 8 << 10;

    /** @param lends whether payloads are read where the peer has them */
    static PathTuning of(Link link, EngineLimits limits, boolean lends) {
        int eager = limits.eagerBytes();
        int times = lends ? LENT_TIMES : 1;
        return new PathTuning(
                limits.pieceBytes(),
                Math.clamp(link.bulkBytes(), limits.pieceBytes(), limits.bulkBytes()),
                (long) Math.clamp(link.windowBytes(), limits.pieceBytes(), limits.windowBytes()) * times,
                eager,
                link.sharesMemory() ? Math.min(MOST_COPIED_BYTES, eager) : eager,
                limits.foldDepth() * times,
                lends ? MOST_AHEAD : USUALLY_AHEAD);
    }

    /** {@return whether what only has to be moved goes in longer pieces} */
    boolean movesInBulk() {
        return bulkBytes > pieceBytes;
    }

    /** {@return what one window holds; in bulk, a piece that is written and one that is read} */
    long windowBytes(Window window) {
        return window == Window.BULK ? 2L * bulkBytes : windowBytes;
    }
}

package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.link.LinkTraits;

/**
 * The tuning of pieces to and from one peer, decided once from the link and the limits; only what is under way follows the length of the way.
 *
 * @param pieceBytes the largest usual piece
 * @param bulkBytes the largest piece of what lies ready and only has to be moved
 * @param eagerBytes the largest edge that travels with its announcement
 * @param copiedBytes the same where other ranks' operands have to be waited for, and a grant would cost no copy
 * @param copied how much is under way where payloads are copied, as long as nothing is known of the way
 * @param lent how much is under way where they are read in the peer's memory
 * @param canGrow whether more may be under way once the way is known to be long
 */
public record PathTuning(
        int pieceBytes, int bulkBytes, int eagerBytes, int copiedBytes, Flow copied, Flow lent, boolean canGrow) {

    /**
     * The amounts that may be under way from a peer.
     *
     * @param windowBytes bytes that may be granted and not yet here, and as many again that are still being made
     * @param foldDepth pieces of a fold that may be under way at once
     * @param ahead pieces of an edge that may be asked for before they are announced; more, where they are short
     */
    record Flow(long windowBytes, int foldDepth, int ahead) {}

    /** Pieces of an edge within a machine that are asked for before they are announced: one that is being made, and the next. */
    public static final int USUALLY_AHEAD = 2;

    /** The most that a peer may ask for; it does so where payloads are read in place, or come a long way. */
    public static final int MOST_AHEAD = 32;

    /** How much more may be asked for at once where nothing is moved: what keeps a reader going while the sender is busy with a piece. */
    private static final int LENT_TIMES = 16;

    /**
     * Where memory is shared, what has to wait for other ranks' operands was copied into the link and has to be copied out of it. On four ranks
     * 64 KiB take 50 µs instead of 65.
     */
    private static final int MOST_COPIED_BYTES = 8 << 10;

    static PathTuning of(LinkTraits traits, EngineLimits limits) {
        int eager = limits.eagerBytes();
        long window = Math.clamp(traits.windowBytes(), limits.pieceBytes(), limits.windowBytes());
        return new PathTuning(
                limits.pieceBytes(),
                Math.clamp(traits.bulkBytes(), limits.pieceBytes(), limits.bulkBytes()),
                eager,
                traits.sharesMemory() ? Math.min(MOST_COPIED_BYTES, eager) : eager,
                new Flow(
                        window,
                        limits.foldDepth(),
                        traits.hasUnknownWay() ? ahead(window, limits.pieceBytes()) : USUALLY_AHEAD),
                new Flow(LENT_TIMES * window, LENT_TIMES * limits.foldDepth(), MOST_AHEAD),
                traits.hasUnknownWay());
    }

    /** {@return how much is under way where payloads are copied over a way that holds so many bytes; never less than usual} */
    Flow copiedWithin(long windowBytes) {
        if (!canGrow || windowBytes <= copied.windowBytes()) {
            return copied;
        }
        return new Flow(windowBytes, copied.foldDepth(), ahead(windowBytes, pieceBytes));
    }

    /**
     * {@return pieces to ask for ahead over a way between hosts: all that its window holds}
     * What is asked for later waits behind what this rank sends the peer, a window's length, and the way back would stand empty for so long.
     */
    private static int ahead(long windowBytes, int pieceBytes) {
        return (int) Math.clamp(windowBytes / pieceBytes, USUALLY_AHEAD, MOST_AHEAD);
    }

    /** {@return whether what only has to be moved goes in longer pieces} */
    boolean movesInBulk() {
        return bulkBytes > pieceBytes;
    }
}

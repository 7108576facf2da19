package io.reactivecomm.spi.link;

/** The findings of a transport about ranks, beside what happens on its links. */
public sealed interface PeerNews {

    /**
     * A rank is cut off from the majority, or has ended.
     *
     * @param rank the rank, which may be this one itself
     * @param cause what happened, in words for an error message
     */
    record Lost(int rank, String cause) implements PeerNews {}

    /**
     * This rank and another do not hear each other, and nobody can tell which of them is cut off.
     *
     * @param peer the other rank
     * @param cause what happened, in words for an error message, the same at both ends
     */
    record Cut(int peer, String cause) implements PeerNews {}

    /**
     * A rank lives, but its loop does not turn; or it does again.
     *
     * @param nanos for how long it has not turned, 0 if it turns again
     * @param doing what it is doing meanwhile
     */
    record HeldUp(int rank, long nanos, String doing) implements PeerNews {}

    /**
     * A rank's clock has been compared with this one's, for observers: no decision is made of it.
     *
     * @param at the moment for which it holds, by this rank's loop's clock
     * @param offsetNanos what the other rank's clock is ahead of this one's
     * @param boundNanos by how much that may be wrong, in either direction
     */
    record ClockCompared(int rank, long at, long offsetNanos, long boundNanos) implements PeerNews {}
}

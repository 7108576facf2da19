package io.reactivecomm.spi;

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
}

package io.reactivecomm.internal.transfer;

/** A bound on what is under way from a peer; what occupies one takes no room in another. */
enum Window {
    /** For pieces that are folded or passed on while they are in the caches. */
    USUAL,
    /** For pieces that their sender is still making. */
    AHEAD,
    /** For pieces that lie ready and only have to be moved, where the link wants these longer. */
    BULK
}

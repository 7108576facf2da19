package io.reactivecomm.internal.transfer;

/** The listener to what is asked for from peers: with the time at which a piece comes, it tells how long the way is. */
@FunctionalInterface
public interface GrantWatch {

    /**
     * A piece is asked for.
     *
     * @param isAhead whether its sender may still be making it
     */
    void asked(int peer, long grant, int lengthBytes, boolean isAhead);
}

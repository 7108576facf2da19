package io.reactivecomm.recorder;

import java.util.Objects;

/**
 * Another rank, as this one knows it.
 *
 * @param state whether it is there
 * @param heardMicrosAgo how long ago the last frame of a call came from it, or {@link CallRecord#NONE}; heartbeats do not count
 * @param heldUp what it says of its loop if that does not turn; empty otherwise
 */
public record PeerRecord(int rank, State state, long heardMicrosAgo, String heldUp) {

    public PeerRecord {
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(heldUp, "heldUp");
    }

    /** The states of a peer. */
    public enum State {
        UP,
        /** It has left in good order. */
        DEPARTED,
        LOST
    }
}

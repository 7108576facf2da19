package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.transfer.Path;
import io.reactivecomm.spi.link.Frame;

/** One other rank of the world: the path to it, and whether it is there. Owned by the loop. */
final class Peer {

    /** The state of a peer; it only ever moves down this list. */
    enum State {
        UP,
        /** It said goodbye: no call can begin with it, and nothing more comes. */
        DEPARTED,
        LOST
    }

    private final int rank;
    private final Path path;
    private State state = State.UP;
    private long heardAt;
    private boolean hasBeenHeard;

    Peer(int rank, Path path) {
        this.rank = rank;
        this.path = path;
    }

    int rank() {
        return rank;
    }

    Path path() {
        return path;
    }

    State state() {
        return state;
    }

    boolean isUp() {
        return state == State.UP;
    }

    void moveTo(State next) {
        if (next.compareTo(state) > 0) {
            state = next;
            path.end();
        }
    }

    /** A frame of a call, or a piece, has come from it. */
    void heard(long now) {
        heardAt = now;
        hasBeenHeard = true;
    }

    boolean hasBeenHeard() {
        return hasBeenHeard;
    }

    long heardAt() {
        return heardAt;
    }

    /** Tells the peer something that is no part of a piece. */
    void tell(Frame frame) {
        path.outbox().write(frame);
    }
}

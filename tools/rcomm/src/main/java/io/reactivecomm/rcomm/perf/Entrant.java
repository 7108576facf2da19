package io.reactivecomm.rcomm.perf;

import io.reactivecomm.rcomm.peers.Congestion;
import io.reactivecomm.rcomm.peers.PeerKind;
import io.reactivecomm.samples.programs.world.Transport;

/** The library, and the way to run it, whose times a row has. */
sealed interface Entrant {

    /** {@return the name, in the table and the chart} */
    String label();

    /** Ours, in one way. */
    record Ours(Setup setup) implements Entrant {

        @Override
        public String label() {
            return setup.transport() + " " + setup.buffers();
        }
    }

    /**
     * A peer.
     *
     * @param congestion under which it runs
     */
    record Theirs(PeerKind peer, Congestion congestion) implements Entrant {

        @Override
        public String label() {
            return congestion.nameOf(peer);
        }

        boolean isBeside(Transport transport, boolean ofList) {
            return peer.isBeside(transport, ofList);
        }
    }

    /** {@return whether it is ours} */
    default boolean isOurs() {
        return this instanceof Ours;
    }
}

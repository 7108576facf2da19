package io.reactivecomm.samples.bench.peers;

/** The outcome of the search for one peer. */
public sealed interface Finding {

    /** {@return which was searched for} */
    Peer peer();

    /** A peer that is there. */
    record Installed(PeerProgram program) implements Finding {

        @Override
        public Peer peer() {
            return program.peer();
        }
    }

    /**
     * A peer that is not there, or cannot be run.
     *
     * @param reason why, and what would help
     */
    record Missing(Peer peer, String reason) implements Finding {}
}

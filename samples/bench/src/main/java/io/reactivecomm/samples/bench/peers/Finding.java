package io.reactivecomm.samples.bench.peers;

/** What a search for one peer found. */
public sealed interface Finding {

    /** {@return which was searched for} */
    Peer peer();

    /** It is there. */
    record Installed(PeerProgram program) implements Finding {

        @Override
        public Peer peer() {
            return program.peer();
        }
    }

    /**
     * It is not there, or cannot be run.
     *
     * @param reason why, and what would help
     */
    record Missing(Peer peer, String reason) implements Finding {}
}

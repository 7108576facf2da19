package io.reactivecomm.rcomm.peers;

/** The availability of one peer, as the search for it found. */
public sealed interface PeerAvailability {

    /** {@return which was searched for} */
    PeerKind peer();

    /** A peer that is there. */
    record Installed(PeerProgram program) implements PeerAvailability {

        @Override
        public PeerKind peer() {
            return program.peer();
        }
    }

    /**
     * A peer that is not there, or cannot be run.
     *
     * @param reason why, and what would help
     */
    record Missing(PeerKind peer, String reason) implements PeerAvailability {}
}

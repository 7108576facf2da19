package io.reactivecomm.rcomm.peers;

import java.util.List;

/**
 * The outcome of one run of a peer.
 *
 * @param rows what it measured, perhaps nothing
 * @param failure in one line why that is not all, or empty
 */
public record PeerResult(List<PeerRow> rows, String failure) {

    public PeerResult {
        rows = List.copyOf(rows);
    }

    /** {@return whether all was measured} */
    public boolean isWhole() {
        return failure.isEmpty();
    }
}

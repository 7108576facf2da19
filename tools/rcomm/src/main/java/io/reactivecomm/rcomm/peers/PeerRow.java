package io.reactivecomm.rcomm.peers;

import java.util.List;

/**
 * One measurement of a peer.
 *
 * @param way how rounds were made: {@code call}, or for lists {@code in-flight} or {@code in-turn}
 * @param bytes the size as nccl-tests counts it
 * @param micros the mean time of a round in each batch
 */
public record PeerRow(String way, long bytes, List<Double> micros) {

    public PeerRow {
        micros = List.copyOf(micros);
    }
}

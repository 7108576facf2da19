package io.reactivecomm.rcomm.perf;

import io.reactivecomm.rcomm.peers.Congestion;
import io.reactivecomm.rcomm.peers.PeerKind;
import io.reactivecomm.samples.programs.world.Transport;
import java.util.List;

/** Rows with the figures that a test is about. */
final class Rows {

    private Rows() {}

    static PerfRow row(long bytes, String transport, String algorithm, double micros) {
        double gbps = bytes / micros * 1e-3;
        return new PerfRow(
                "all-reduce",
                2,
                bytes,
                transport,
                "private",
                "float32",
                algorithm,
                micros,
                micros / 2,
                micros * 2,
                gbps,
                gbps,
                0);
    }

    static Standing ours(Transport transport, Buffers buffers, PerfRow... rows) {
        return new Standing(new Entrant.Ours(new Setup(transport, buffers)), List.of(rows));
    }

    static Standing theirs(PeerKind peer, Congestion congestion, PerfRow... rows) {
        return new Standing(new Entrant.Theirs(peer, congestion), List.of(rows));
    }
}

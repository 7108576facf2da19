package io.reactivecomm.rcomm.perf;

import io.reactivecomm.rcomm.peers.Congestion;
import io.reactivecomm.rcomm.peers.PeerProgram;
import io.reactivecomm.rcomm.peers.PeerRequest;
import io.reactivecomm.rcomm.peers.PeerResult;
import io.reactivecomm.rcomm.peers.PeerRow;
import io.reactivecomm.rcomm.peers.PeerRun;
import java.util.List;

/**
 * A peer that measures what ours does.
 *
 * @param program the peer
 * @param op what ours does, which gives the name and the bus factor
 * @param request the same in the words of peers
 * @param congestion under which it runs
 * @param busy how many busy processes run meanwhile
 */
record PeerLibrary(PeerProgram program, PerfOp op, PeerRequest request, Congestion congestion, int busy)
        implements Contestant {

    @Override
    public Entrant entrant() {
        return new Entrant.Theirs(program.peer(), congestion);
    }

    @Override
    public Turn run(PerfTable table) {
        PeerResult result;
        try (BusyProcesses neighbours = BusyProcesses.start(busy)) {
            result = PeerRun.of(program, request, congestion);
        }
        List<PerfRow> rows = result.rows().stream().map(this::row).toList();
        rows.forEach(table::add);
        return new Turn(rows, result.failure(), 0);
    }

    private PerfRow row(PeerRow measured) {
        BatchMeans means = BatchMeans.of(measured.micros());
        return new PerfRow(
                op.toString(),
                request.ranks(),
                measured.bytes(),
                entrant().label(),
                Buffers.PRIVATE.toString(),
                "float32",
                measured.way(),
                means.median(),
                means.min(),
                means.max(),
                means.algorithmBandwidth(measured.bytes()),
                means.busBandwidth(op, request.ranks(), measured.bytes()),
                0);
    }
}

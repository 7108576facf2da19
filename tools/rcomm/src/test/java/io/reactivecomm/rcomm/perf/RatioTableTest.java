package io.reactivecomm.rcomm.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.rcomm.peers.Congestion;
import io.reactivecomm.rcomm.peers.PeerKind;
import io.reactivecomm.samples.programs.world.Transport;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class RatioTableTest {

    private static final List<Standing> STANDINGS = List.of(
            Rows.ours(Transport.SHM, Buffers.PRIVATE, Rows.row(64, "shm", "x", 2)),
            Rows.ours(Transport.TCP, Buffers.PRIVATE, Rows.row(64, "tcp", "x", 5), Rows.row(128, "tcp", "x", 6)),
            Rows.theirs(PeerKind.GLOO, Congestion.RENO, Rows.row(64, "gloo-reno", "call", 500)),
            Rows.theirs(PeerKind.OPENMPI_SM, Congestion.STOCK, Rows.row(64, "openmpi-sm", "call", 1)));

    private static List<String> lines(PerfOp op) {
        StringWriter out = new StringWriter();
        new RatioTable(new PrintWriter(out), op, STANDINGS).show();
        return out.toString().lines().map(line -> line.replaceAll(" +", " ")).toList();
    }

    @Test
    void show_call_setsPeersBesideOursThatGoesTheirWay() {
        assertThat(lines(PerfOp.ALL_REDUCE))
                .containsExactly(
                        "op bytes transport buffers ours us peer way peer us peer/ours",
                        "all-reduce 64 shm private 2.00 openmpi-sm call 1.00 0.50x",
                        "all-reduce 64 tcp private 5.00 gloo-reno call 500.00 100.00x");
    }

    @Test
    void show_list_setsGlooBesideSharedMemoryToo() {
        assertThat(lines(PerfOp.LIST)).contains("all-reduce 64 shm private 2.00 gloo-reno call 500.00 250.00x");
    }
}

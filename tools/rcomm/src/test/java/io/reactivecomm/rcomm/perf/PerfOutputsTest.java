package io.reactivecomm.rcomm.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.rcomm.peers.Congestion;
import io.reactivecomm.rcomm.peers.PeerKind;
import io.reactivecomm.samples.programs.world.Transport;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PerfOutputsTest {

    @TempDir
    private Path folder;

    @Test
    void write_peersToo_putsThemLast() {
        Path json = folder.resolve("rows.json");
        Path chart = folder.resolve("chart.png");
        PerfRow gloo = Rows.row(64, "gloo", "call", 50);
        PerfRow ours = Rows.row(64, "tcp", "gather-fold", 5);
        List<Standing> standings = List.of(
                Rows.theirs(PeerKind.GLOO, Congestion.STOCK, gloo), Rows.ours(Transport.TCP, Buffers.PRIVATE, ours));
        new PerfOutputs(json, chart).write(standings, PerfOp.ALL_REDUCE);
        assertThat(PerfJson.read(json)).containsExactly(ours, gloo);
        assertThat(chart).isNotEmptyFile();
    }

    @Test
    void requireFor_whatCannotBe_isRefusedBeforehand() {
        assertThatThrownBy(() -> new PerfOutputs(folder, null).requireFor(PerfOp.LIST))
                .hasMessageContaining("--json");
        assertThatThrownBy(() -> new PerfOutputs(null, folder).requireFor(PerfOp.LIST))
                .hasMessageContaining("--chart");
        Path chart = folder.resolve("chart.png");
        assertThatThrownBy(() -> new PerfOutputs(null, chart).requireFor(PerfOp.BARRIER))
                .hasMessageContaining("moves no bytes");
        assertThatThrownBy(() -> new PerfOutputs(chart, folder.resolve("new/../chart.png")).requireFor(PerfOp.LIST))
                .hasMessageContaining("two outputs are one file");
        new PerfOutputs(null, chart).requireFor(PerfOp.LIST);
        new PerfOutputs(null, null).requireFor(PerfOp.BARRIER);
    }
}

package io.reactivecomm.samples.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.samples.programs.world.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerTest {

    @Test
    void beside_eachTransport_arePeersThatGoTheSameWay() {
        assertThat(Peer.beside(List.of(Transport.TCP), false)).containsExactly(Peer.GLOO, Peer.OPENMPI_TCP, Peer.LIMIT_TCP);
        assertThat(Peer.beside(List.of(Transport.SHM), false)).containsExactly(Peer.OPENMPI_SM, Peer.MPICH, Peer.LIMIT_SHM);
        assertThat(Peer.beside(List.of(Transport.SHM), true)).containsExactly(Peer.GLOO, Peer.OPENMPI_SM, Peer.MPICH, Peer.LIMIT_SHM);
        assertThat(Peer.beside(List.of(Transport.LOCAL), true)).containsExactly(Peer.MPJ);
    }

    @Test
    void does_limits_onlyAllReduce() {
        assertThat(Peer.values()).allMatch(peer -> peer.does("all-reduce"));
        assertThat(Peer.values()).filteredOn(peer -> !peer.does("list")).containsExactly(Peer.LIMIT_SHM, Peer.LIMIT_TCP);
    }

    @Test
    void names_underReno_tellItOfThoseOverTcp() {
        assertThat(Congestion.STOCK.nameOf(Peer.OPENMPI_TCP)).isEqualTo("openmpi-tcp");
        assertThat(Congestion.RENO.nameOf(Peer.OPENMPI_TCP)).isEqualTo("openmpi-tcp-reno");
        assertThat(Congestion.RENO.nameOf(Peer.GLOO)).isEqualTo("gloo-reno");
        assertThat(Congestion.RENO.nameOf(Peer.OPENMPI_SM)).isEqualTo("openmpi-sm");
    }

    @Test
    void around_reno_isANamespaceOfItsOwn(@TempDir Path scratch) {
        assertThat(Congestion.STOCK.around(List.of("a", "b"))).containsExactly("a", "b");
        assertThat(Congestion.STOCK.obstacle(scratch)).isEmpty();
        assertThat(Congestion.RENO.around(List.of("a", "b"))).startsWith("unshare", "-n").endsWith("sh", "a", "b");
    }

    @Test
    void request_toArguments_isWhatTheProgramsRead(@TempDir Path folder) {
        Duration batch = Duration.ofMillis(250);
        assertThat(new PeerRequest("all-gather", 4, List.of(4L, 1024L), null, 7, batch, Duration.ofSeconds(5)).arguments())
                .containsExactly("all-gather", "7", "0.250", "5.000", "4,1024");
        Path counts = folder.resolve("counts.txt");
        assertThat(new PeerRequest("list", 4, List.of(), counts, 7, batch, Duration.ZERO).arguments())
                .containsExactly("list", "7", "0.250", "0.000", "@" + counts);
    }
}

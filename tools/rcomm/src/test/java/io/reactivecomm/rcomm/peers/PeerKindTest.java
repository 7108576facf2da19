package io.reactivecomm.rcomm.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.samples.programs.world.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerKindTest {

    @Test
    void beside_eachTransport_arePeersThatGoTheSameWay() {
        assertThat(PeerKind.beside(List.of(Transport.TCP), false))
                .containsExactly(PeerKind.GLOO, PeerKind.OPENMPI_TCP, PeerKind.LIMIT_TCP);
        assertThat(PeerKind.beside(List.of(Transport.SHM), false))
                .containsExactly(PeerKind.OPENMPI_SM, PeerKind.MPICH, PeerKind.LIMIT_SHM);
        assertThat(PeerKind.beside(List.of(Transport.SHM), true))
                .containsExactly(PeerKind.GLOO, PeerKind.OPENMPI_SM, PeerKind.MPICH, PeerKind.LIMIT_SHM);
        assertThat(PeerKind.beside(List.of(Transport.LOCAL), true)).containsExactly(PeerKind.MPJ);
    }

    @Test
    void does_limits_onlyAllReduce() {
        assertThat(PeerKind.values()).allMatch(peer -> peer.does("all-reduce"));
        assertThat(PeerKind.values())
                .filteredOn(peer -> !peer.does("list"))
                .containsExactly(PeerKind.LIMIT_SHM, PeerKind.LIMIT_TCP);
    }

    @Test
    void names_underReno_tellItOfThoseOverTcp() {
        assertThat(Congestion.STOCK.nameOf(PeerKind.OPENMPI_TCP)).isEqualTo("openmpi-tcp");
        assertThat(Congestion.RENO.nameOf(PeerKind.OPENMPI_TCP)).isEqualTo("openmpi-tcp-reno");
        assertThat(Congestion.RENO.nameOf(PeerKind.GLOO)).isEqualTo("gloo-reno");
        assertThat(Congestion.RENO.nameOf(PeerKind.OPENMPI_SM)).isEqualTo("openmpi-sm");
    }

    @Test
    void around_reno_isANamespaceOfItsOwn(@TempDir Path scratch) {
        assertThat(Congestion.STOCK.around(List.of("a", "b"))).containsExactly("a", "b");
        assertThat(Congestion.STOCK.obstacle(scratch)).isEmpty();
        assertThat(Congestion.RENO.around(List.of("a", "b")))
                .startsWith("unshare", "-n")
                .endsWith("sh", "a", "b");
    }

    @Test
    void request_toArguments_isWhatTheProgramsRead(@TempDir Path folder) {
        Duration batch = Duration.ofMillis(250);
        assertThat(new PeerRequest("all-gather", 4, List.of(4L, 1024L), null, 7, batch, Duration.ofSeconds(5))
                        .arguments())
                .containsExactly("all-gather", "7", "0.250", "5.000", "4,1024");
        Path counts = folder.resolve("counts.txt");
        assertThat(new PeerRequest("list", 4, List.of(), counts, 7, batch, Duration.ZERO).arguments())
                .containsExactly("list", "7", "0.250", "0.000", "@" + counts);
    }
}

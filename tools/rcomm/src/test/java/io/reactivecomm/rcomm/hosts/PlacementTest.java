package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.rcomm.latency.Rate;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlacementTest {

    private static List<String> places(Placement placement) {
        return IntStream.range(0, placement.worldSize())
                .mapToObj(rank -> placement.hostOf(rank) + "." + placement.localRankOf(rank))
                .toList();
    }

    @Test
    void ranksInARow_shareAHost() {
        assertThat(places(new Placement(2, 3, false))).containsExactly("0.0", "0.1", "0.2", "1.0", "1.1", "1.2");
    }

    @Test
    void roundRobin_putsConsecutiveRanksApart() {
        assertThat(places(new Placement(2, 3, true))).containsExactly("0.0", "1.0", "0.1", "1.1", "0.2", "1.2");
    }

    @Test
    void hostsAndRanks_haveBounds() {
        assertThatThrownBy(() -> new Placement(0, 1, false))
                .hasMessage("number of hosts is out of range: hosts=0; take 1 to 250");
        assertThatThrownBy(() -> new Placement(251, 1, false)).hasMessageContaining("hosts=251");
        assertThatThrownBy(() -> new Placement(2, 0, false))
                .hasMessageContaining("ranks-per-host=0, hosts=2; start at least one on each host");
        assertThatThrownBy(() -> new Placement(2, Integer.MAX_VALUE, false))
                .hasMessageContaining("at most 1024 in all");
    }

    @Test
    void variables_placeARankOnItsHost() {
        HostsOptions options =
                new HostsOptions(new Placement(2, 3, false), Rate.UNLIMITED, Duration.ZERO, false, List.of("true"));
        assertThat(HostsRun.variables(options.placement(), 4))
                .containsEntry("LOCAL_RANK", "1")
                .containsEntry("LOCAL_WORLD_SIZE", "3")
                .containsEntry("MASTER_ADDR", "10.77.0.1")
                .containsEntry("RCOMM_MASTER_PORT", "29501")
                .containsEntry("MASTER_PORT", "29500")
                .containsEntry("RCOMM_HOST_ID", "host-1")
                .containsEntry("RCOMM_STORE_HOSTED", "0")
                .doesNotContainKey("RCOMM_PLAINTEXT");
    }
}

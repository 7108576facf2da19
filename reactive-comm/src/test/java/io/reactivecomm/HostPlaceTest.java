package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The place of a process on its host, as variables and programs give it. */
class HostPlaceTest {

    private static final Map<String, String> LAUNCHED =
            Map.of("LOCAL_RANK", "1", "LOCAL_WORLD_SIZE", " 2\r\n", "GROUP_RANK", "3", "GROUP_WORLD_SIZE", "4");

    @Test
    void fromEnvironment_readsTheLaunchersVariables() {
        assertThat(HostPlace.fromEnvironment(LAUNCHED)).isEqualTo(new HostPlace(null, 1, 2, 3, 4));
        assertThat(HostPlace.fromEnvironment(Map.of())).isEqualTo(HostPlace.UNKNOWN);
        assertThat(HostPlace.fromEnvironment(Map.of("LOCAL_RANK", "7"))).isEqualTo(new HostPlace(null, 7, -1, -1, -1));
    }

    @Test
    void fromEnvironment_whereTheHostIsNamed_leavesTheNumbersToTheHosts() {
        Map<String, String> named = new HashMap<>(LAUNCHED);
        named.put("RCOMM_HOST_ID", " anna ");

        assertThat(HostPlace.fromEnvironment(named)).isEqualTo(HostPlace.named("anna"));
    }

    @ParameterizedTest
    @CsvSource({
        "LOCAL_RANK, -1, LOCAL_WORLD_SIZE, 2",
        "LOCAL_RANK, 2, LOCAL_WORLD_SIZE, 2",
        "LOCAL_RANK, 0, LOCAL_WORLD_SIZE, 0",
        "GROUP_RANK, 5, GROUP_WORLD_SIZE, 4",
        "GROUP_RANK, x, GROUP_WORLD_SIZE, 4"
    })
    void fromEnvironment_ofNoPlace_namesTheVariable(String place, String rank, String count, String size) {
        assertThatThrownBy(() -> HostPlace.fromEnvironment(Map.of(place, rank, count, size)))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining(place + "=" + rank);
    }

    @Test
    void withHostId_leavesTheNumbersToTheHosts_andOtherChangesKeepThem() {
        Map<String, String> environment = new HashMap<>(LAUNCHED);
        environment.putAll(Map.of("RANK", "0", "WORLD_SIZE", "1"));
        CommConfig config = CommConfig.fromEnvironment(environment).withLanes(2).withCallSites(true);

        assertThat(config.place()).isEqualTo(new HostPlace(null, 1, 2, 3, 4));
        assertThat(config.withHostId("berta").place()).isEqualTo(HostPlace.named("berta"));
    }
}

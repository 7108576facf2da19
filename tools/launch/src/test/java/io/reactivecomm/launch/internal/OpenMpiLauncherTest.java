package io.reactivecomm.launch.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.RendezvousException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OpenMpiLauncherTest {

    private final Map<String, String> environment = new HashMap<>(Map.of(
            "OMPI_COMM_WORLD_RANK", "1",
            "OMPI_COMM_WORLD_SIZE", "2",
            "OMPI_COMM_WORLD_LOCAL_SIZE", "2",
            "PMIX_NAMESPACE", "1913061377"));

    private Map<String, String> place() {
        return new OpenMpiLauncher().translate(environment).orElseThrow();
    }

    @Test
    void translate_otherLauncher_isEmpty() {
        environment.remove("OMPI_COMM_WORLD_RANK");
        assertThat(new OpenMpiLauncher().translate(environment)).isEmpty();
    }

    @Test
    void translate_rankAndWorldSizeSet_leavesThemAlone() {
        environment.putAll(Map.of("RANK", "0", "WORLD_SIZE", "1"));
        assertThat(new OpenMpiLauncher().translate(environment)).isEmpty();
    }

    @Test
    void translate_oneHost_meetsOnLoopback() {
        environment.put("RCOMM_TOKEN", "secret");
        assertThat(place())
                .containsAllEntriesOf(environment)
                .containsEntry("RANK", "1")
                .containsEntry("WORLD_SIZE", "2")
                .containsEntry("MASTER_ADDR", "127.0.0.1")
                .containsEntry("MASTER_PORT", Integer.toString(DerivedPort.of("1913061377")));
    }

    @Test
    void translate_addressAndPortGiven_takesThem() {
        environment.putAll(Map.of("MASTER_ADDR", "node3", "MASTER_PORT", "4000", "OMPI_COMM_WORLD_LOCAL_SIZE", "1"));
        assertThat(place()).containsEntry("MASTER_ADDR", "node3").containsEntry("MASTER_PORT", "4000");
    }

    @Test
    void translate_storePortGiven_winsOverMasterPort() {
        environment.putAll(Map.of("MASTER_PORT", "4000", "RCOMM_MASTER_PORT", "4001"));
        assertThat(place()).containsEntry("MASTER_PORT", "4001");
    }

    @Test
    void translate_noNamespace_takesTheDefaultPort() {
        environment.remove("PMIX_NAMESPACE");
        assertThat(place()).containsEntry("MASTER_PORT", "29500");
    }

    @Test
    void translate_severalHostsWithoutAddress_saysHowToPassIt() {
        environment.put("OMPI_COMM_WORLD_LOCAL_SIZE", "1");
        assertThatThrownBy(this::place)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("ranks=2, ranks on this host=1")
                .hasMessageContaining("-x MASTER_ADDR=HOST");
    }

    @Test
    void translate_noSize_namesTheVariable() {
        environment.remove("OMPI_COMM_WORLD_SIZE");
        assertThatThrownBy(this::place)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("OMPI_COMM_WORLD_SIZE");
    }
}

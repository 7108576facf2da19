package io.reactivecomm.launch.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.RendezvousException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MpichLauncherTest {

    /** What {@code mpiexec -n 2 env} of MPICH 4.0.2 shows. */
    private final Map<String, String> environment = new HashMap<>(Map.of(
            "PMI_RANK", "1",
            "PMI_SIZE", "2",
            "PMI_FD", "8",
            "MPI_LOCALRANKID", "1",
            "MPI_LOCALNRANKS", "2"));

    private Optional<Map<String, String>> translated() {
        return new MpichLauncher().translate(environment);
    }

    @Test
    void translate_otherLauncher_isEmpty() {
        environment.remove("PMI_RANK");
        assertThat(translated()).isEmpty();
    }

    @Test
    void translate_rankAndWorldSizeSet_leavesThemAlone() {
        environment.putAll(Map.of("RANK", "0", "WORLD_SIZE", "1"));
        assertThat(translated()).isEmpty();
    }

    @Test
    void translate_oneHost_meetsOnLoopbackAtTheDefaultPort() {
        assertThat(translated().orElseThrow())
                .containsAllEntriesOf(environment)
                .containsEntry("RANK", "1")
                .containsEntry("WORLD_SIZE", "2")
                .containsEntry("MASTER_ADDR", "127.0.0.1")
                .containsEntry("MASTER_PORT", "29500");
    }

    @Test
    void translate_addressAndPortGiven_takesThem() {
        environment.putAll(Map.of("MASTER_ADDR", "node3", "MASTER_PORT", "4000", "MPI_LOCALNRANKS", "1"));
        assertThat(translated().orElseThrow())
                .containsEntry("MASTER_ADDR", "node3")
                .containsEntry("MASTER_PORT", "4000");
    }

    @Test
    void translate_severalHostsWithoutAddress_saysHowToPassIt() {
        environment.put("MPI_LOCALNRANKS", "1");
        assertThatThrownBy(this::translated)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("ranks=2, ranks on this host=1")
                .hasMessageContaining("-genv MASTER_ADDR HOST");
    }

    @Test
    void translate_noSize_namesTheVariable() {
        environment.remove("PMI_SIZE");
        assertThatThrownBy(this::translated)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("PMI_SIZE");
    }

    @Test
    void translate_underSlurmsPmi_leavesItToSlurm() {
        environment.keySet().removeIf(name -> name.startsWith("MPI_"));
        environment.put("SLURM_STEP_ID", "0");
        assertThat(translated()).isEmpty();
    }
}

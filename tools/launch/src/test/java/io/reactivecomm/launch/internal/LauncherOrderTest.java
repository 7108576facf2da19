package io.reactivecomm.launch.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.HostPlace;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.WorldProvider;
import io.reactivecomm.spi.rendezvous.Launcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order in which {@code ReactiveComm.connect()} takes launchers, where several have left their variables. */
class LauncherOrderTest {

    private final Map<String, String> environment = new HashMap<>();

    private CommConfig discover() {
        return ServiceLoader.load(WorldProvider.class).findFirst().orElseThrow().discover(environment);
    }

    private void add(String... namesAndValues) {
        for (int i = 0; i < namesAndValues.length; i += 2) {
            environment.put(namesAndValues[i], namesAndValues[i + 1]);
        }
    }

    @Test
    void launchers_areFoundInnermostFirst() {
        assertThat(ServiceLoader.load(Launcher.class))
                .extracting(Launcher::name)
                .containsExactly(
                        "torchrun", "Open MPI", "MPICH", "Slurm", "Kubeflow Trainer", "Kubernetes", "SageMaker");
    }

    @Test
    void mpiexecInsideSlurmInsideAPod_isTheOneThatCounts() {
        add("JOB_COMPLETION_INDEX", "0", "WORLD_SIZE", "1");
        assertThat(discover().worldSize()).isEqualTo(1);
        add("SLURM_PROCID", "0", "SLURM_NTASKS", "4", "SLURM_JOB_NODELIST", "n1");
        assertThat(discover().worldSize()).isEqualTo(4);
        add("PMI_RANK", "2", "PMI_SIZE", "3", "MPI_LOCALRANKID", "2", "MPI_LOCALNRANKS", "3");
        assertThat(discover().worldSize()).isEqualTo(3);
        assertThat(discover().rank()).isEqualTo(2);
    }

    @Test
    void placeOnAHost_isTheInnermostLaunchers() {
        add("LOCAL_RANK", "7", "LOCAL_WORLD_SIZE", "8", "GROUP_RANK", "1", "GROUP_WORLD_SIZE", "2");
        add("SLURM_PROCID", "3", "SLURM_NTASKS", "4", "SLURM_JOB_NODELIST", "n1", "SLURM_LOCALID", "3");
        assertThat(discover().place()).isEqualTo(new HostPlace(null, 3, -1, -1, -1));
        add("PMI_RANK", "2", "PMI_SIZE", "3", "MPI_LOCALRANKID", "2", "MPI_LOCALNRANKS", "3");
        assertThat(discover().place()).isEqualTo(new HostPlace(null, 2, 3, -1, -1));
        add(
                "OMPI_COMM_WORLD_RANK",
                "1",
                "OMPI_COMM_WORLD_SIZE",
                "2",
                "OMPI_COMM_WORLD_LOCAL_RANK",
                "1",
                "OMPI_COMM_WORLD_LOCAL_SIZE",
                "2");
        assertThat(discover().place()).isEqualTo(new HostPlace(null, 1, 2, -1, -1));
    }

    @Test
    void fileOfSettings_isReadUnderEachLauncher(@TempDir Path folder) throws IOException {
        Path file =
                Files.writeString(folder.resolve("settings.json"), "{\"RCOMM_MASTER_PORT\": 4000, \"RCOMM_LANES\": 2}");
        add("RCOMM_CONFIG", file.toString(), "SLURM_PROCID", "3", "SLURM_NTASKS", "4", "SLURM_JOB_NODELIST", "n1");
        assertThat(discover().rank()).isEqualTo(3);
        assertThat(discover().port()).isEqualTo(4000);
        assertThat(discover().tuning().lanes()).isEqualTo(2);
        add("RCOMM_MASTER_PORT", "5000");
        assertThat(discover().port()).isEqualTo(5000);
        Files.writeString(file, "{\"RCOMM_LANES\": 99}");
        assertThatThrownBy(this::discover)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RCOMM_LANES=99")
                .hasMessageContaining("file=" + file);
    }

    @Test
    void rankAndWorldSize_winOverEveryLauncher() {
        add("RANK", "5", "WORLD_SIZE", "6");
        add("JOB_COMPLETION_INDEX", "0", "SLURM_PROCID", "1", "SLURM_NTASKS", "2", "PMI_RANK", "1", "PMI_SIZE", "2");
        add("OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE", "2");
        assertThat(discover().rank()).isEqualTo(5);
        assertThat(discover().worldSize()).isEqualTo(6);
    }
}

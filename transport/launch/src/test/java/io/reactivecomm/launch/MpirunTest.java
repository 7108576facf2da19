package io.reactivecomm.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs where Open MPI is installed. */
@Timeout(60)
class MpirunTest {

    private static final Path MPIRUN = Path.of("/usr/bin/mpirun.openmpi");

    @Test
    void translate_underMpirun_placesEachRankAtOneAddress() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(MPIRUN), "no " + MPIRUN);
        Process mpirun = new ProcessBuilder(
                        MPIRUN.toString(),
                        "--allow-run-as-root",
                        "--oversubscribe",
                        "-n",
                        "2",
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        PrintPlace.class.getName())
                .redirectErrorStream(true)
                .start();
        List<String> places = mpirun.inputReader().lines().sorted().toList();
        assertThat(mpirun.waitFor()).as(places.toString()).isZero();
        assertThat(places).hasSize(2);
        assertThat(places.get(0)).contains("RANK=0").contains("WORLD_SIZE=2").contains("MASTER_ADDR=127.0.0.1");
        assertThat(places.get(1)).isEqualTo(places.get(0).replace("RANK=0", "RANK=1"));
    }
}

package io.reactivecomm.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs where an MPI is installed. */
@Timeout(60)
class MpirunTest {

    private static List<String> placesUnder(String command, String... arguments) throws Exception {
        Optional<Path> found = Stream.of(System.getenv("PATH").split(":"))
                .map(directory -> Path.of(directory, command))
                .filter(Files::isExecutable)
                .findFirst();
        Assumptions.assumeTrue(found.isPresent(), "no " + command);
        List<String> line = new ArrayList<>(List.of(found.orElseThrow().toString()));
        line.addAll(List.of(arguments));
        line.addAll(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                PrintPlace.class.getName()));
        return lines(new ProcessBuilder(line).redirectErrorStream(true).start());
    }

    private static List<String> lines(Process mpirun) throws IOException, InterruptedException {
        List<String> lines = mpirun.inputReader().lines().sorted().toList();
        assertThat(mpirun.waitFor()).as(lines.toString()).isZero();
        return lines;
    }

    private static void expectTwoRanks(List<String> places, String launcher) {
        assertThat(places).hasSize(2);
        assertThat(places.get(0)).contains("RANK=0").contains("WORLD_SIZE=2").contains("MASTER_ADDR=127.0.0.1");
        assertThat(places.get(0)).endsWith(launcher);
        assertThat(places.get(1)).isEqualTo(places.get(0).replace("RANK=0", "RANK=1"));
    }

    @Test
    void translate_underOpenMpi_placesEachRankAtOneAddress() throws Exception {
        expectTwoRanks(placesUnder("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2"), "Open MPI");
    }

    @Test
    void translate_underMpich_placesEachRankAtOneAddress() throws Exception {
        expectTwoRanks(placesUnder("mpiexec.hydra", "-n", "2"), "MPICH");
    }
}

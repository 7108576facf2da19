package io.reactivecomm.rcomm.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.reactivecomm.CommException;
import io.reactivecomm.nccl.doubles.CudaDoubleLibrary;
import io.reactivecomm.rcomm.gpu.check.SkippedCheck;
import io.reactivecomm.samples.programs.world.MpiLauncher;
import io.reactivecomm.testkit.NeedsGcc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The row of gpu-check for MPI: over an MPI that is installed, with the double of CUDA, whose memory the host cannot touch. */
@ExtendWith(NeedsGcc.class)
class MpiCheckTest {

    private static final String LIBRARY = "RCOMM_MPI_LIBRARY";

    @TempDir
    private Path folder;

    private static Map<String, String> overDouble(Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.put("LD_LIBRARY_PATH", CudaDoubleLibrary.built().getParent().toString());
        environment.putAll(more);
        return environment;
    }

    private static void assumeMpi() {
        try {
            MpiLauncher.find(System.getenv());
        } catch (CommException e) {
            assumeThat(false).as("skipped: no MPI: " + CommException.textOf(e)).isTrue();
        }
    }

    /** {@return a library that is the one of that name, and says that it takes addresses of devices} */
    private Path claiming(Object library) throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("claim.c"), "int MPIX_Query_cuda_support(void) { return 1; }\n");
        Path claiming = folder.resolve("libclaim.so");
        List<String> command = List.of(
                "gcc",
                "-shared",
                "-fPIC",
                "-Wl,--no-as-needed",
                "-o",
                claiming.toString(),
                source.toString(),
                "-l:" + library);
        Process gcc = new ProcessBuilder(command).inheritIO().start();
        assertThat(gcc.waitFor()).isZero();
        return claiming;
    }

    @Test
    @Tag("thorough")
    void libraryThatClaimsNothing_isStaged_andOneWhoseClaimIsFalseIsAFailure() throws Exception {
        assumeMpi();
        Map<String, Object> values = MpiCheck.measure(overDouble(Map.of()));
        assertThat(values).containsEntry("staged", "host's bits").containsEntry("addresses", "not claimed");
        assertThat(values.get("version")).asString().isNotEmpty();

        Path claiming = claiming(values.get("library"));
        Map<String, String> environment = overDouble(Map.of(LIBRARY, claiming.toString()));
        assertThatThrownBy(() -> MpiCheck.measure(environment))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("MPI ranks failed: way=addresses, output=")
                .hasMessageContaining("SIGSEGV")
                .hasMessageEndingWith("if that is wrong, set RCOMM_MPI_CUDA=off");
        environment.put("RCOMM_MPI_CUDA", "off");
        assertThat(MpiCheck.measure(environment)).containsEntry("addresses", "off");
    }

    @Test
    void machineWithoutALauncherOrALibrary_isSkipped() {
        assertThatThrownBy(() -> MpiCheck.measure(Map.of("PATH", "/nowhere")))
                .isInstanceOf(SkippedCheck.class)
                .hasMessageStartingWith("no MPI: no MPI is installed that could start ranks");
        assumeMpi();
        assertThatThrownBy(() -> MpiCheck.measure(overDouble(Map.of(LIBRARY, "libnone.so"))))
                .isInstanceOf(SkippedCheck.class)
                .hasMessageStartingWith("no MPI: no library of MPI can be loaded: tried=[libnone.so]");
    }
}

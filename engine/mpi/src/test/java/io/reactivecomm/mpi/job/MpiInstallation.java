package io.reactivecomm.mpi.job;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An implementation of MPI that may be on this machine, with what its launcher takes. */
enum MpiInstallation {
    OPEN_MPI(
            "openmpi-bin",
            List.of("mpirun.openmpi"),
            List.of("--oversubscribe", "--bind-to", "none", "-np"),
            List.of("--enable-recovery"),
            Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")),
    MPICH("mpich", List.of("mpiexec.hydra"), List.of("-n"), List.of("-disable-auto-cleanup"), Map.of());

    private final String debian;
    private final List<String> launchers;
    private final List<String> number;
    private final List<String> survival;
    private final Map<String, String> environment;

    /**
     * One of them.
     *
     * @param debian its package
     * @param launchers its mpirun, by names that no other has
     * @param number options, the last of which is followed by how many ranks
     * @param survival options with which ranks survive others
     */
    MpiInstallation(
            String debian,
            List<String> launchers,
            List<String> number,
            List<String> survival,
            Map<String, String> environment) {
        this.debian = debian;
        this.launchers = launchers;
        this.number = number;
        this.survival = survival;
        this.environment = environment;
    }

    /** {@return its launcher; empty if it is not installed} */
    Optional<Path> launcher() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .flatMap(folder -> launchers.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** {@return why a test of it is skipped} */
    String absence() {
        return "skipped: no " + launchers.getFirst() + " on the PATH; install " + debian + " to run jobs of " + this;
    }

    /** {@return what starts so many ranks} @param survive whether those that are left go on when one dies */
    List<String> command(int ranks, boolean survive) {
        List<String> command = new ArrayList<>();
        command.add(launcher().orElseThrow().toString());
        if (survive) {
            command.addAll(survival);
        }
        command.addAll(number);
        command.add(Integer.toString(ranks));
        return command;
    }

    Map<String, String> environment() {
        return environment;
    }
}

package io.reactivecomm.samples.programs.world;

import io.reactivecomm.CommException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The {@code mpirun} of an installed MPI, by which ranks are started.
 *
 * @param program where it is
 * @param isOpenMpi whether it is Open MPI's: the others take MPICH's options
 */
public record MpiLauncher(Path program, boolean isOpenMpi) {

    /** The variable that names it, as a program on the PATH or a path. */
    static final String VARIABLE = "RCOMM_MPIRUN";

    /** Their own names first: what is called mpirun may be either. */
    private static final List<String> NAMES = List.of("mpirun.openmpi", "mpiexec.hydra", "mpirun", "mpiexec");

    /** What this process's own launching says of the one process that it starts, which is none of the ranks. */
    private static final List<String> NOT_THEIRS = List.of("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE");

    /** Without these Open MPI refuses to be run by root, as in a container. */
    private static final Map<String, String> AS_ROOT =
            Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");

    /**
     * {@return the one that the environment names, or the first on its PATH}
     *
     * @throws CommException if there is none
     */
    public static MpiLauncher find(Map<String, String> environment) {
        String asked = environment.getOrDefault(VARIABLE, "").trim();
        List<String> names = asked.isEmpty() ? NAMES : List.of(asked);
        String folders = environment.getOrDefault("PATH", "");
        return names.stream()
                .flatMap(name -> places(name, folders))
                .filter(place -> Files.isRegularFile(place) && Files.isExecutable(place))
                .findFirst()
                .map(place -> new MpiLauncher(place, isOpenMpi(place)))
                .orElseThrow(() -> new CommException("no MPI is installed that could start ranks: looked for=" + names
                        + " on the PATH; install Open MPI or MPICH (on Debian openmpi-bin or mpich), or name its mpirun by "
                        + VARIABLE));
    }

    private static Stream<Path> places(String name, String folders) {
        return name.contains("/")
                ? Stream.of(Path.of(name))
                : Arrays.stream(folders.split(File.pathSeparator)).map(folder -> Path.of(folder, name));
    }

    private static boolean isOpenMpi(Path program) {
        try {
            ProcessBuilder question = new ProcessBuilder(program.toString(), "--version").redirectErrorStream(true);
            question.environment().putAll(AS_ROOT);
            Process asked = question.start();
            asked.getOutputStream().close();
            return new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8).contains("Open MPI");
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "an mpirun cannot be run: program=" + program + "; name another by " + VARIABLE, e);
        }
    }

    /** {@return what starts so many ranks} Open MPI would bind each of them to a core, where a JVM's threads wait for each other. */
    public List<String> command(int ranks, List<String> rank) {
        Stream<String> clean =
                Stream.concat(Stream.of("env"), NOT_THEIRS.stream().flatMap(name -> Stream.of("-u", name)));
        String number = Integer.toString(ranks);
        Stream<String> launcher = isOpenMpi
                ? Stream.of(program.toString(), "--oversubscribe", "--bind-to", "none", "-np", number)
                : Stream.of(program.toString(), "-n", number);
        return Stream.of(clean, launcher, rank.stream()).flatMap(part -> part).toList();
    }

    /** {@return the environment of the launcher and its ranks} */
    public Map<String, String> variables(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(AS_ROOT);
        all.putAll(more);
        return all;
    }
}

package io.reactivecomm.rcomm.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.reactivecomm.launch.JobOptions;
import io.reactivecomm.launch.JobOutput;
import io.reactivecomm.launch.LocalJob;
import io.reactivecomm.spi.RankJvmOptions;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The ranks, hosts and groups of a world that a peer's launcher has started: each process asks the peer, then becomes a rank of ours in the same environment, and both
 * give the same numbers. Runs where the peer is installed.
 */
@Tag("thorough")
@Timeout(200)
class PeerPlacesTest {

    private static final Duration LIMIT = Duration.ofSeconds(180);

    private static final SearchPath PROGRAMS =
            SearchPath.of(System.getenv().getOrDefault("PATH", "") + File.pathSeparator + PeerSearch.USUAL_PATH);

    /** The variables of the job that would count in ranks which a launcher starts in it. */
    private static final List<String> OF_THE_JOB = List.of(
            "RANK",
            "WORLD_SIZE",
            "LOCAL_RANK",
            "LOCAL_WORLD_SIZE",
            "MASTER_ADDR",
            "MASTER_PORT",
            "RCOMM_MASTER_PORT",
            "RCOMM_STORE_HOSTED");

    /** An agent for each rank of the job. torch 1.13 of Debian 12 fails with its own defaults of the last two options. */
    private static final String TORCHRUN = """
            log=$1; python=$2; shift 2
            exec env -u RCOMM_MASTER_PORT -u RCOMM_STORE_HOSTED "$python" -m torch.distributed.run \
                --nnodes 2 --node_rank "$RANK" --nproc_per_node $((2 - RANK)) --master_addr "$MASTER_ADDR" --master_port "$MASTER_PORT" \
                --log_dir "$log" --redirects 1 --tee 1 "$@"
            """;

    @TempDir
    private Path folder;

    private Path unpacked(String resource) throws IOException {
        Path file = folder.resolve(resource);
        try (InputStream source = Objects.requireNonNull(PeerPlacesTest.class.getResourceAsStream(resource))) {
            Files.copy(source, file);
        }
        return file;
    }

    /** {@return arguments of the peer's program: where it writes, and what it becomes} */
    private List<String> filesAndProgram() {
        return Stream.of(
                        Stream.of(
                                files("theirs"),
                                ProcessHandle.current().info().command().orElseThrow(),
                                "--enable-native-access=ALL-UNNAMED"),
                        RankJvmOptions.inherited().stream().filter(flag -> flag.startsWith("-XX:")),
                        Stream.of(
                                "-cp",
                                System.getProperty("java.class.path"),
                                WritePlaces.class.getName(),
                                files("ours")))
                .flatMap(part -> part)
                .toList();
    }

    private String files(String whose) {
        return folder.resolve(whose + "-").toString();
    }

    /** Runs the peer's launchers, each in place of a rank of a job, whose end is theirs and that of all that they start. */
    private void run(int launchers, Map<String, String> environment, List<String> command) {
        ByteArrayOutputStream words = new ByteArrayOutputStream();
        Integer code = new LocalJob(
                        JobOptions.of(launchers, command).withEnvironment(environment),
                        new JobOutput(words, words, rank -> "", Set.of()))
                .run()
                .block(LIMIT);
        assertThat(code).as(words.toString()).isZero();
    }

    private List<String> places(String whose) throws IOException {
        List<String> places = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
            places.add(Files.readString(Path.of(files(whose) + rank)));
        }
        return places;
    }

    private String pythonWithTorch() {
        PeerAvailability torch = new TorchGloo(PROGRAMS, folder).find();
        assumeThat(torch).isInstanceOf(PeerAvailability.Installed.class);
        PeerProgram program = ((PeerAvailability.Installed) torch).program();
        return program.command().apply(FakePrograms.request(4L)).getFirst();
    }

    /** Two agents, as on two hosts, one with two ranks and one with one. */
    @Test
    void torchrun_placesAreThoseOfTorch() throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                TORCHRUN,
                "agent",
                folder.resolve("log").toString(),
                pythonWithTorch(),
                unpacked("places.py").toString()));
        command.addAll(filesAndProgram());

        run(2, Map.of("OMP_NUM_THREADS", "1", "GLOO_SOCKET_IFNAME", "lo"), command);

        assertThat(places("ours")).isEqualTo(places("theirs"));
        assertThat(places("ours"))
                .containsExactly(
                        memberOfThePair(0, "0 of 2, 0 of 2", 0),
                        "world 1 of 3\nhost 1 of 2, 0 of 2\npair -1\nranks of the world [0, 1, 2]",
                        memberOfThePair(2, "0 of 1, 1 of 2", 1));
    }

    private static String memberOfThePair(int rank, String host, int rankInPair) {
        return """
                world %d of 3
                host %s
                pair %d
                ranks of the pair [-1, 0, -1, 1, -1]
                ranks of the world [0, 1, 2]""".formatted(rank, host, rankInPair);
    }

    private Path compiled(Path compiler) throws IOException {
        Path program = folder.resolve("places");
        Probe.Answer answer = Probe.ask(
                List.of(compiler.toString(), unpacked("places.c").toString(), "-o", program.toString()), folder);
        assumeThat(answer.succeeded()).as(answer.text()).isTrue();
        return program;
    }

    @Test
    void mpirun_placesAreThoseOfMpi() throws Exception {
        Optional<Path> launcher = PROGRAMS.program("mpirun.openmpi");
        Optional<Path> compiler = PROGRAMS.program("mpicc.openmpi");
        assumeThat(launcher).as("mpirun.openmpi").isPresent();
        assumeThat(compiler).as("mpicc.openmpi").isPresent();
        String program = compiled(compiler.orElseThrow()).toString();
        List<String> command = new ArrayList<>(List.of("env"));
        OF_THE_JOB.forEach(name -> command.addAll(List.of("-u", name)));
        command.add(launcher.orElseThrow().toString());
        command.addAll(List.of("--oversubscribe", "--bind-to", "none", "-np", "3", program));
        command.addAll(filesAndProgram());

        run(1, Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"), command);

        assertThat(places("ours")).isEqualTo(places("theirs"));
        assertThat(places("ours").getLast()).isEqualTo(memberOfThePair(2, "2 of 3, 0 of 1", 1));
    }
}

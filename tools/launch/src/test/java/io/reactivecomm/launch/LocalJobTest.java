package io.reactivecomm.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** The environment that ranks find when they start, and the lines that they print. */
class LocalJobTest extends LocalJobFixture {

    @Test
    void run_threeRanks_placesEach() {
        String script =
                "echo $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $MASTER_ADDR $RCOMM_MASTER_PORT $RCOMM_STORE_HOSTED"
                        + " ${#RCOMM_TOKEN} $MINE";
        assertThat(run(shell(3, script).withEnvironment(Map.of("MINE", "yes", "RANK", "no"))))
                .isZero();
        assertThat(out.lines())
                .containsExactlyInAnyOrder(
                        "[0] 0 3 0 3 127.0.0.1 4711 1 64 yes",
                        "[1] 1 3 1 3 127.0.0.1 4711 1 64 yes",
                        "[2] 2 3 2 3 127.0.0.1 4711 1 64 yes");
        assertThat(err.lines()).isEmpty();
        assertThat(storeHost.events).containsExactly("start 127.0.0.1:0 token=64 encryption=BETWEEN_HOSTS", "close");
    }

    @Test
    void run_ranksInPlaintext_haveAStoreThatPermitsIt() {
        assertThat(run(shell(1, "true").withEnvironment(Map.of("RCOMM_PLAINTEXT", "1"))))
                .isZero();
        assertThat(storeHost.events).contains("start 127.0.0.1:0 token=64 encryption=OFF");
    }

    @Test
    void run_masterPort_isOneForAllRanks_andFreeForTheProgram() throws Exception {
        // One reader of the pipe only: a second that came late would wait for a writer that is gone.
        String script = "echo $MASTER_PORT; if [ $RANK = 0 ]; then read go <$GO; fi";
        CompletableFuture<Integer> end =
                start(shell(2, script).withEnvironment(Map.of("GO", gate.toString(), "MASTER_PORT", "4711")));
        List<String> lines = out.await(2, line -> true);
        assertThat(lines.stream().map(line -> line.substring(4)).distinct())
                .hasSize(1)
                .doesNotContain("4711");
        int port = Integer.parseInt(lines.getFirst().substring(4));
        try (ServerSocket programs = new ServerSocket(port)) {
            assertThat(programs.getLocalPort()).isEqualTo(port);
        }
        Files.writeString(gate, "go\n");
        end.get(20, TimeUnit.SECONDS);
    }

    @Test
    void run_variablesOfARank_areItsOwn_andDoNotPlaceIt() {
        JobOptions options =
                shell(2, "echo $RANK $OURS $MINE").withEnvironment(Map.of("OURS", "all", "MINE", "nobody"));
        assertThat(run(options.withRankEnvironment(rank -> Map.of("MINE", "gpu" + rank, "RANK", "7"))))
                .isZero();
        assertThat(out.lines()).containsExactlyInAnyOrder("[0] 0 all gpu0", "[1] 1 all gpu1");
    }

    @Test
    void run_amongTorchrunsVariables_keepsItsOwnPort() {
        Map<String, String> torchrun = Map.of(
                "TORCHELASTIC_RUN_ID", "1", "TORCHELASTIC_USE_AGENT_STORE", "True", "RCOMM_MASTER_PORT", "29501");
        assertThat(run(shell(1, "echo RCOMM_MASTER_PORT=$RCOMM_MASTER_PORT").withEnvironment(torchrun)))
                .isZero();
        assertThat(out.lines()).containsExactly("[0] RCOMM_MASTER_PORT=4711");
    }

    @Test
    void run_twice_hasAnotherToken() {
        LocalJob job = job(shell(1, "echo $RCOMM_TOKEN"));
        job.run().block(PATIENCE);
        job.run().block(PATIENCE);
        assertThat(out.lines()).hasSize(2).doesNotHaveDuplicates().allMatch(line -> line.matches("\\[0] [0-9a-f]{64}"));
    }

    @Test
    void run_output_keepsStreamsApart() {
        assertThat(run(shell(1, "echo Grüße; echo oops >&2; printf unfinished")))
                .isZero();
        assertThat(out.lines()).containsExactly("[0] Grüße", "[0] unfinished");
        assertThat(err.lines()).containsExactly("[0] oops");
    }

    @Test
    void run_omittedLine_isLeftOut() {
        JobOptions noisy = shell(1, "echo noise; echo more noise; echo noise >&2; echo oops >&2");
        JobOutput quiet = output().withOmitted(Set.of("noise"));
        assertThat(new LocalJob(noisy, quiet, storeHost, clock).run().block(PATIENCE))
                .isZero();
        assertThat(out.lines()).containsExactly("[0] more noise");
        assertThat(err.lines()).containsExactly("[0] oops");
    }

    @Test
    void run_muchOutput_losesNothing() {
        assertThat(run(shell(2, "i=0; while [ $i -lt 20000 ]; do echo line $i of $RANK; i=$((i+1)); done")))
                .isZero();
        assertThat(out.lines()).hasSize(40_000).contains("[0] line 19999 of 0", "[1] line 19999 of 1");
        assertThat(out.lines()).allMatch(line -> line.matches("\\[(\\d)] line \\d+ of \\1"));
    }

    @Test
    void run_rankReadsInput_findsItEmpty() {
        assertThat(run(shell(2, "read line || echo nothing"))).isZero();
        assertThat(out.lines()).containsExactlyInAnyOrder("[0] nothing", "[1] nothing");
    }

    @Test
    void run_backgroundProcessKeepsThePipe_endsNevertheless() throws InterruptedException {
        assertThat(run(shell(1, "sleep 1000 & echo pid $!; exit 0"))).isZero();
        // Not known to be the rank's own any more when that has ended, so the test ends it.
        printedProcesses(1).forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void run_unknownCommand_fails127() {
        StepVerifier.create(job(JobOptions.of(2, List.of("no-such-program"))).run())
                .expectErrorSatisfies(error -> {
                    assertThat(error)
                            .isInstanceOf(LaunchException.class)
                            .hasMessage(
                                    "command not found: command=no-such-program; check the spelling, or give its path");
                    assertThat(((LaunchException) error).exitCode()).isEqualTo(127);
                })
                .verify(PATIENCE);
        assertThat(storeHost.events).isEmpty();
    }

    @Test
    void run_notExecutable_fails126() throws Exception {
        Path file = Files.createFile(folder.resolve("data.txt"));
        StepVerifier.create(job(JobOptions.of(1, List.of(file.toString()))).run())
                .expectErrorSatisfies(error -> {
                    assertThat(error).isInstanceOf(LaunchException.class).hasMessageContaining("chmod +x");
                    assertThat(((LaunchException) error).exitCode()).isEqualTo(126);
                })
                .verify(PATIENCE);
    }
}

package io.reactivecomm.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** The end of a job whose ranks say what is taken by nobody. */
class UnheardJobTest extends LocalJobFixture {

    /** A full disk, or a pipe whose reader is gone. */
    private static final OutputStream FULL = new OutputStream() {

        @Override
        public void write(int b) throws IOException {
            throw new IOException("No space left on device");
        }
    };

    private LocalJob job(JobOptions options, OutputStream out, OutputStream err) {
        return new LocalJob(options, new JobOutput(out, err, rank -> "[" + rank + "] ", Set.of()), storeHost, clock);
    }

    private void requireFailure(JobOptions options, OutputStream out, OutputStream err, String facts) {
        StepVerifier.create(job(options, out, err).run())
                .expectErrorSatisfies(error -> {
                    assertThat(error)
                            .isInstanceOf(LaunchException.class)
                            .hasMessageStartingWith(
                                    "what ranks say cannot be written any more, so they were ended: " + facts);
                    assertThat(((LaunchException) error).exitCode()).isEqualTo(1);
                })
                .verifyThenAssertThat(PATIENCE)
                .hasNotDroppedErrors();
        assertThat(storeHost.events).last().isEqualTo("close");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exec yes", "echo once; exec sleep 1000"})
    void run_outputIsNotTaken_endsAllRanks(String talk) throws Exception {
        String script = "echo pid $$ >&2; [ $RANK = 0 ] && exec sleep 1000; read go <$GO; " + talk;
        JobOptions options = shell(2, script).withEnvironment(Map.of("GO", gate.toString()));
        String facts = "stream=standard output, rank=1, reason=No space left on device;";
        CompletableFuture<Void> end = CompletableFuture.runAsync(() -> requireFailure(options, FULL, err, facts));
        List<ProcessHandle> ranks = printedProcesses(err, 2);
        Files.writeString(gate, "go\n");
        assertThat(end).succeedsWithin(PATIENCE);
        assertThat(ranks).hasSize(2).noneMatch(ProcessHandle::isAlive);
    }

    @Test
    void run_lastWordsAreNotTaken_failsAlthoughAllRanksEndWell() {
        requireFailure(shell(1, "printf unfinished"), FULL, err, "stream=standard output, rank=0");
    }

    @Test
    void run_streamThatKeepsItsFailures_isAskedForThem() {
        requireFailure(shell(1, "echo words"), new PrintStream(FULL), err, "stream=standard output, rank=0");
    }

    @Test
    void run_errorsAreNotTaken_endsAllRanks() {
        requireFailure(shell(1, "echo words >&2; exec sleep 1000"), out, FULL, "stream=standard error, rank=0");
    }

    /** One error is told, and what comes after it to nobody: neither to the caller nor to a log. */
    @Test
    void run_anotherRankIsNotHeardWhileItIsEnded_isOneFailure() throws Exception {
        String script = "[ $RANK = 0 ] && { read go <$GO; echo words; exec sleep 1000; };"
                + " trap 'echo late; exit' TERM; echo pid $$ >&2; while :; do sleep 0.05; done";
        JobOptions options = shell(2, script).withEnvironment(Map.of("GO", gate.toString()));
        CompletableFuture<Void> end =
                CompletableFuture.runAsync(() -> requireFailure(options, FULL, err, "stream=standard output, rank=0"));
        assertThat(printedProcesses(err, 1)).hasSize(1);
        Files.writeString(gate, "go\n");
        assertThat(end).succeedsWithin(PATIENCE);
    }

    @Test
    void run_standardOutputIsFull_endsRanksAndProcess() throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "no /dev/full here");
        Path said = folder.resolve("said");
        Process launcher = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        RunSleepers.class.getName())
                .redirectOutput(full.toFile())
                .redirectError(said.toFile())
                .start();
        try {
            assertThat(launcher.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(launcher.exitValue()).isOne();
            assertThat(Files.readString(said))
                    .contains("what ranks say cannot be written any more, so they were ended: stream=standard output");
        } finally {
            launcher.destroyForcibly();
        }
    }

    @Test
    void run_nothingIsSaid_isNoFailure() {
        assertThat(job(shell(2, "exit 0"), FULL, FULL).run().block(PATIENCE)).isZero();
    }
}

package io.reactivecomm.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;

@Timeout(30)
class LocalJobTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final FakeStoreHost storeHost = new FakeStoreHost();
    private final CapturedOutput out = new CapturedOutput();
    private final CapturedOutput err = new CapturedOutput();
    private final VirtualTimeScheduler clock = VirtualTimeScheduler.create();

    @TempDir
    private Path folder;

    /** A named pipe: a rank that reads it waits until the test writes to it. */
    private Path gate;

    @BeforeEach
    void makeGate() throws Exception {
        gate = folder.resolve("gate");
        assertThat(new ProcessBuilder("mkfifo", gate.toString()).start().waitFor())
                .isZero();
    }

    private LocalJob job(JobOptions options) {
        return new LocalJob(options, output(), storeHost, Schedulers.boundedElastic());
    }

    /** Starts a job whose grace only {@link #clock} can end. */
    private CompletableFuture<Integer> start(JobOptions options) {
        return new LocalJob(options, output(), storeHost, clock).run().toFuture();
    }

    private JobOutput output() {
        return new JobOutput(out, err, rank -> "[" + rank + "] ", Set.of());
    }

    private static JobOptions shell(int ranks, String script) {
        return JobOptions.of(ranks, List.of("sh", "-c", script));
    }

    private int run(JobOptions options) {
        return job(options).run().block(PATIENCE);
    }

    /** {@return the processes whose ids the ranks printed as {@code [rank] pid NUMBER}} */
    private List<ProcessHandle> printedProcesses(int count) throws InterruptedException {
        return out.await(count, line -> line.contains("] pid ")).stream()
                .map(line -> ProcessHandle.of(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))))
                .flatMap(Optional::stream)
                .toList();
    }

    private static void assertEnd(List<ProcessHandle> processes) {
        for (ProcessHandle process : processes) {
            assertThat(process.onExit()).succeedsWithin(PATIENCE);
        }
    }

    @Test
    void run_threeRanks_placesEach() {
        String script =
                "echo $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $MASTER_ADDR $MASTER_PORT $RCOMM_STORE_HOSTED"
                        + " ${#RCOMM_TOKEN} $MINE";
        assertThat(run(shell(3, script).withEnvironment(Map.of("MINE", "yes", "RANK", "no"))))
                .isZero();
        assertThat(out.lines())
                .containsExactlyInAnyOrder(
                        "[0] 0 3 0 3 127.0.0.1 4711 1 32 yes",
                        "[1] 1 3 1 3 127.0.0.1 4711 1 32 yes",
                        "[2] 2 3 2 3 127.0.0.1 4711 1 32 yes");
        assertThat(err.lines()).isEmpty();
        assertThat(storeHost.events).containsExactly("start 127.0.0.1:0 token=32", "close");
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
        assertThat(out.lines()).hasSize(2).doesNotHaveDuplicates().allMatch(line -> line.matches("\\[0] [0-9a-f]{32}"));
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
    void run_oneRankFailsAlone_hasItsCode() {
        assertThat(run(shell(1, "exit 7"))).isEqualTo(7);
        assertThat(err.lines()).containsExactly("rcomm: a rank failed: rank=0, exitCode=7");
    }

    @Test
    void run_killedBySignal_hasTheShellsCode() {
        assertThat(run(shell(1, "kill -9 $$"))).isEqualTo(128 + 9);
    }

    @Test
    void run_othersEndWithinGrace_hasTheFirstFailuresCode() throws Exception {
        String script = "if [ $RANK = 0 ]; then read go <$GO; exit 9; fi; exit 4";
        CompletableFuture<Integer> code = start(shell(2, script).withEnvironment(Map.of("GO", gate.toString())));
        err.await(1, line -> true);
        Files.writeString(gate, "go\n");
        assertThat(code).succeedsWithin(PATIENCE).isEqualTo(4);
    }

    @Test
    void run_firstToFailLeavesItsPipeOpen_isTheFirstNevertheless() throws Exception {
        String script =
                "if [ $RANK = 1 ]; then read go <$GO; exit 9; fi; sleep 1000 & echo pid $!; echo pid $$; exit 4";
        CompletableFuture<Integer> code = start(shell(2, script).withEnvironment(Map.of("GO", gate.toString())));
        List<Long> ids = out.await(2, line -> line.contains("] pid ")).stream()
                .map(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .toList();
        // The rank may be gone by now; what it left in the background is not.
        ProcessHandle.of(ids.getLast()).ifPresent(rank -> rank.onExit().join());
        Files.writeString(gate, "go\n");
        assertThat(code).succeedsWithin(PATIENCE).isEqualTo(4);
        // Whether the other is still running when this is said is open: it has been let go, and ends when it gets to it.
        assertThat(err.lines())
                .singleElement()
                .asString()
                .startsWith("rcomm: a rank failed: rank=0, exitCode=4");
        ProcessHandle.of(ids.getFirst()).ifPresent(ProcessHandle::destroyForcibly);
    }

    @Test
    void run_rankFails_endsTheOthersAfterTheGrace() throws Exception {
        String script = "if [ $RANK = 1 ]; then read go <$GO; exit 3; fi; echo pid $$; sleep 1000";
        CompletableFuture<Integer> code = start(shell(3, script).withEnvironment(Map.of("GO", gate.toString())));
        List<ProcessHandle> others = printedProcesses(2);
        Files.writeString(gate, "go\n");

        assertThat(err.await(1, line -> true))
                .containsExactly(
                        "rcomm: a rank failed: rank=1, exitCode=3; ranks still running=[0, 2] are ended in 5 s");
        clock.advanceTimeBy(JobOptions.DEFAULT_GRACE.minusMillis(1));
        assertThat(others).hasSize(2).allMatch(ProcessHandle::isAlive);
        clock.advanceTimeBy(Duration.ofMillis(1));
        assertThat(code).succeedsWithin(PATIENCE).isEqualTo(3);
        assertEnd(others);
        assertThat(storeHost.events).last().isEqualTo("close");
    }

    @Test
    void run_rankIgnoresTheRequestToEnd_isKilled() throws Exception {
        String script = "if [ $RANK = 1 ]; then exit 3; fi;"
                + " trap '' TERM; echo pid $$; sleep 1000 & echo pid $!; while :; do sleep 1000; done";
        CompletableFuture<Integer> code = start(shell(2, script));
        List<ProcessHandle> processes = printedProcesses(2);
        err.await(1, line -> true);
        clock.advanceTimeBy(JobOptions.DEFAULT_GRACE);
        assertThat(processes.getFirst().isAlive()).isTrue();
        clock.advanceTimeBy(JobOptions.DEFAULT_KILL_DELAY);
        assertThat(code).succeedsWithin(PATIENCE).isEqualTo(3);
        assertEnd(processes);
    }

    @Test
    void run_rankFailsDuringGrace_keepsTheFirstCode() throws Exception {
        String script =
                "if [ $RANK = 1 ]; then exit 3; fi; trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done";
        assertThat(run(shell(2, script).withGrace(Duration.ofMillis(200)))).isEqualTo(3);
    }

    @Test
    void run_cancelled_endsAllWithTheirDescendants() throws Exception {
        Disposable running = job(shell(2, "echo pid $$; sleep 1000 & echo pid $!; wait"))
                .run()
                .subscribe();
        List<ProcessHandle> processes = printedProcesses(4);
        assertThat(processes).hasSize(4);
        running.dispose();
        assertEnd(processes);
    }

    @Test
    void run_killed_leavesNoCommandThatAShellStartedMeanwhile() throws Exception {
        int shells = 16;
        String pause = "1000." + System.nanoTime();
        String loop = "trap '' TERM; echo pid $$; while :; do sleep " + pause + "; done";
        String script = "for i in $(seq " + shells + "); do sh -c \"$LOOP\" & done; wait";
        Disposable running = job(shell(1, script)
                        .withEnvironment(Map.of("LOOP", loop))
                        .withKillDelay(Duration.ofMillis(100)))
                .run()
                .subscribe();
        printedProcesses(shells);
        running.dispose();
        assertThat(ProcessHandle.allProcesses()
                        .map(ProcessHandle::info)
                        .filter(info -> info.commandLine().orElse("").contains(pause)))
                .isEmpty();
    }

    @Test
    void run_thisProcessIsToldToEnd_leavesNothingBehind() throws Exception {
        assertThat(sleepersEnd(ProcessHandle::destroy)).isEqualTo(128 + 15);
    }

    @Test
    void run_thisProcessIsKilled_leavesNoRankBehind() throws Exception {
        assertThat(sleepersEnd(ProcessHandle::destroyForcibly)).isEqualTo(128 + 9);
    }

    /** {@return the exit code of a launcher of its own process, once that was ended so and its ranks have followed it} */
    private int sleepersEnd(Consumer<ProcessHandle> end) throws Exception {
        Process launcher = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        RunSleepers.class.getName())
                .redirectErrorStream(true)
                .start();
        CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
            try {
                launcher.getInputStream().transferTo(out);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        List<ProcessHandle> processes = printedProcesses(2);
        assertThat(processes).hasSize(2);
        end.accept(launcher.toHandle());
        assertThat(launcher.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertEnd(processes);
        assertThat(reader).succeedsWithin(PATIENCE);
        return launcher.exitValue();
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

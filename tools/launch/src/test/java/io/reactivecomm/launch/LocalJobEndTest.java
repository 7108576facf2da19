package io.reactivecomm.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

/** The end of a job: by itself, by a rank that fails, or by order. */
class LocalJobEndTest extends LocalJobFixture {

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
    void run_othersFailWithErrorsAfterIt_namesTheFirstAtTheEnd() throws Exception {
        String script = "if [ $RANK = 1 ]; then echo 'out of memory'; kill -9 $$; fi;"
                + " read go <$GO; for i in 1 2 3; do echo \"lost rank 1\" >&2; done; exit 1";
        CompletableFuture<Integer> code = start(shell(2, script).withEnvironment(Map.of("GO", gate.toString())));
        err.await(1, line -> line.contains("a rank failed: rank=1, exitCode=137 (signal 9)"));
        Files.writeString(gate, "go\n");
        assertThat(code).succeedsWithin(PATIENCE).isEqualTo(137);
        assertThat(err.lines().getLast())
                .startsWith("rcomm: the first to fail was rank=1, exitCode=137 (signal 9), after=")
                .endsWith(" s, lastWords=\"out of memory\"; ended badly after it=[0]");
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
        // Whether the other is still running when this is said is open: it has been let go, and ends when it gets to
        // it.
        assertThat(err.lines()).hasSize(2);
        assertThat(err.lines().getFirst()).startsWith("rcomm: a rank failed: rank=0, exitCode=4");
        assertThat(err.lines().getLast())
                .matches("rcomm: the first to fail was rank=0, exitCode=4, after=\\d+\\.\\d+ s, lastWords=\"pid \\d+\";"
                        + " ended badly after it=\\[1]");
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

    /** The common pool may have one thread, and that may wait for as long as a process in the background keeps a pipe. */
    @Test
    void run_commonPoolIsBusy_endsAllTheSame() {
        CountDownLatch over = new CountDownLatch(1);
        Callable<Boolean> wait = () -> over.await(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS);
        List<ForkJoinTask<Boolean>> busy = Stream.generate(
                        () -> ForkJoinPool.commonPool().submit(wait))
                .limit(ForkJoinPool.getCommonPoolParallelism())
                .toList();
        try {
            assertThat(start(shell(2, "exit 3"))).succeedsWithin(PATIENCE).isEqualTo(3);
        } finally {
            over.countDown();
            busy.forEach(ForkJoinTask::join);
        }
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
        // On a busy machine those that were killed take longer to go than the job waits for them; what was not killed
        // stays.
        assertEnd(started(pause));
        assertThat(started(pause)).isEmpty();
    }

    /** {@return all processes with that in their command} */
    private static List<ProcessHandle> started(String part) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").contains(part))
                .toList();
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
}

package io.reactivecomm.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Runs jobs of small shell scripts, and keeps what they print. */
@Timeout(30)
abstract class LocalJobFixture {

    static final Duration PATIENCE = Duration.ofSeconds(20);

    final FakeStoreHost storeHost = new FakeStoreHost();
    final CapturedOutput out = new CapturedOutput();
    final CapturedOutput err = new CapturedOutput();
    final VirtualTimeScheduler clock = VirtualTimeScheduler.create();

    @TempDir
    Path folder;

    /** A named pipe: a rank that reads it waits until the test writes to it. */
    Path gate;

    @BeforeEach
    final void makeGate() throws Exception {
        gate = folder.resolve("gate");
        assertThat(new ProcessBuilder("mkfifo", gate.toString()).start().waitFor())
                .isZero();
    }

    LocalJob job(JobOptions options) {
        return new LocalJob(options, output(), storeHost, Schedulers.boundedElastic());
    }

    /** Starts a job whose grace only {@link #clock} can end. */
    CompletableFuture<Integer> start(JobOptions options) {
        return new LocalJob(options, output(), storeHost, clock).run().toFuture();
    }

    JobOutput output() {
        return new JobOutput(out, err, rank -> "[" + rank + "] ", Set.of());
    }

    static JobOptions shell(int ranks, String script) {
        return JobOptions.of(ranks, List.of("sh", "-c", script));
    }

    int run(JobOptions options) {
        return job(options).run().block(PATIENCE);
    }

    /** {@return the processes whose ids the ranks printed as {@code [rank] pid NUMBER}} */
    List<ProcessHandle> printedProcesses(int count) throws InterruptedException {
        return printedProcesses(out, count);
    }

    /** As the other, where they printed it. */
    static List<ProcessHandle> printedProcesses(CapturedOutput where, int count) throws InterruptedException {
        return where.await(count, line -> line.contains("] pid ")).stream()
                .map(line -> ProcessHandle.of(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))))
                .flatMap(Optional::stream)
                .toList();
    }

    static void assertEnd(List<ProcessHandle> processes) {
        for (ProcessHandle process : processes) {
            assertThat(process.onExit()).succeedsWithin(PATIENCE);
        }
    }
}

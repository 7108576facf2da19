package io.reactivecomm.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.live.JobSnapshot;
import io.reactivecomm.live.JobWatch;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code rcomm run} of a training, and {@code rcomm top} beside it: found, shown, killed, and there at the end. */
@Tag("thorough")
@Timeout(180)
class RcommTopJobTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() {
        started.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }

    private static List<String> rcomm(String... arguments) {
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(), "--enable-native-access=ALL-UNNAMED"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(flag -> flag.startsWith("-XX:")).forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Rcomm.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private Process start(Path output, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        started.add(process);
        return process;
    }

    private static void await(String what, BooleanSupplier there) throws InterruptedException {
        long until = System.nanoTime() + LIMIT.toNanos();
        while (!there.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(until);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    /** {@return the store of the job whose ranks that process has started, among those of others that run here} */
    private static Optional<StoreAddress> jobOf(Process launcher) {
        List<Long> pids = launcher.descendants().map(ProcessHandle::pid).toList();
        return JobWatch.jobsHere().stream().filter(job -> isOf(job, pids)).findFirst();
    }

    private static boolean isOf(StoreAddress job, List<Long> pids) {
        try {
            return Boolean.TRUE.equals(JobWatch.of(CommConfig.of(0, 1, job.host(), job.port()))
                    .every(Duration.ofMillis(100))
                    .snapshots()
                    .take(LIMIT.dividedBy(6))
                    .concatMapIterable(JobSnapshot::ranks)
                    .concatMapIterable(rank -> rank.report().stream().toList())
                    .map(report -> pids.contains(report.pid()))
                    .blockFirst(LIMIT));
        } catch (RendezvousException e) {
            // One of another's, which has ended meanwhile.
            return false;
        }
    }

    @Test
    void top_besideATraining_isFoundShownAndKilled_andSeesTheEnd() throws Exception {
        List<String> training = rcomm("train", "--join", "--transport=tcp", "--epochs=1000000", "--chart=" + folder.resolve("c.png"));
        List<String> run = rcomm("run", "-n", "2", "--");
        run.addAll(training);
        Path log = folder.resolve("train.txt");
        Process job = start(log, run);
        await("a first epoch", () -> read(log).contains("epoch "));
        StoreAddress place = jobOf(job).orElseThrow();
        String address = place.host() + ":" + place.port();

        RcommProcess once = RcommProcess.run(folder, "top", "--once", "--json", address);
        assertThat(once.exitCode()).as(once.lines().toString()).isZero();
        JsonNode seen = JsonMapper.shared().readTree(once.lines().getLast());
        assertThat(seen.get("ranks")).allSatisfy(rank -> assertThat(rank.get("callsPerSecond").asDouble()).isPositive());

        Path killedLog = folder.resolve("killed.txt");
        Process killed = start(killedLog, rcomm("top", address));
        await("a block", () -> read(killedLog).contains("CALLS/S"));
        killed.destroyForcibly().waitFor();
        int before = read(log).length();
        await("further epochs", () -> read(log).length() > before);

        Path lastLog = folder.resolve("last.txt");
        Process last = start(lastLog, rcomm("top", address));
        await("another block", () -> read(lastLog).contains("CALLS/S"));
        job.destroy();
        assertThat(job.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(last.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(read(lastLog)).contains("the job has ended");
        assertThat(JobWatch.jobsHere()).extracting(StoreAddress::port).doesNotContain(place.port());
    }

    @Test
    void top_ofAJobThatLosesARank_showsIt_andFails() throws Exception {
        List<String> run = rcomm("run", "-n", "2", "--");
        run.addAll(rcomm("train", "--join", "--transport=tcp", "--epochs=1000000", "--chart=" + folder.resolve("c.png")));
        Path log = folder.resolve("train.txt");
        Process job = start(log, run);
        await("a first epoch", () -> read(log).contains("epoch "));
        StoreAddress place = jobOf(job).orElseThrow();
        Path seen = folder.resolve("seen.txt");
        Process top = start(seen, rcomm("top", "--json", "--every=0.2", place.host() + ":" + place.port()));
        await("rates", () -> read(seen).contains("callsPerSecond"));
        JsonNode rank = JsonMapper.shared().readTree(read(seen).lines().filter(line -> line.contains("callsPerSecond")).findFirst().orElseThrow()).get("ranks").get(1);
        ProcessHandle.of(rank.get("pid").asLong()).orElseThrow().destroyForcibly();
        assertThat(top.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(read(seen)).contains("\"state\":\"LOST\"", "\"failure\":");
        assertThat(top.exitValue()).isEqualTo(1);
        assertThat(job.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
}

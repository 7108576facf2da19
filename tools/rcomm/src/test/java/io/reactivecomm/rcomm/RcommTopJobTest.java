package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.observability.watch.JobSnapshot;
import io.reactivecomm.observability.watch.JobWatch;
import io.reactivecomm.spi.RankJvmOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
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

    private static final int MOST_LOOKS = 5;

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
        List<String> command = new ArrayList<>(
                List.of(ProcessHandle.current().info().command().orElseThrow(), "--enable-native-access=ALL-UNNAMED"));
        RankJvmOptions.inherited().stream()
                .filter(flag -> flag.startsWith("-XX:"))
                .forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Rcomm.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** A process with what it has written so far, which is taken from it as it comes, so that it never waits for its reader. */
    private static final class Written {

        private final Process process;
        private final StringBuilder text = new StringBuilder();
        private boolean isOver;

        Written(Process process) {
            this.process = process;
            Thread.ofVirtual().start(this::take);
        }

        private void take() {
            try (BufferedReader lines = process.inputReader()) {
                lines.lines().forEach(this::add);
            } catch (IOException | UncheckedIOException e) {
                add("its output broke off: " + e);
            } finally {
                end();
            }
        }

        private synchronized void add(String line) {
            text.append(line).append('\n');
            notifyAll();
        }

        private synchronized void end() {
            isOver = true;
            notifyAll();
        }

        synchronized String text() {
            return text.toString();
        }

        synchronized void await(String what, Predicate<String> there) throws InterruptedException {
            long until = System.nanoTime() + LIMIT.toNanos();
            while (!there.test(text.toString())) {
                long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
                assertThat(left).as("%s in time, in: %s", what, text).isPositive();
                assertThat(isOver)
                        .as("the process has ended before %s: %s", what, text)
                        .isFalse();
                wait(left);
            }
        }

        /** {@return all that it wrote, once it has ended} */
        synchronized String whole() throws InterruptedException {
            long until = System.nanoTime() + LIMIT.toNanos();
            while (!isOver) {
                long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
                assertThat(left).as("the end of: %s", text).isPositive();
                wait(left);
            }
            return text.toString();
        }
    }

    private Written start(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        started.add(process);
        return new Written(process);
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

    private Written startTraining() throws IOException, InterruptedException {
        List<String> run = rcomm("run", "-n", "2", "--");
        run.addAll(
                rcomm("train", "--join", "--transport=tcp", "--epochs=1000000", "--chart=" + folder.resolve("c.png")));
        Written job = start(run);
        job.await("a first epoch", text -> text.contains("epoch "));
        return job;
    }

    /** On a loaded machine a rank may be silent just when it is looked at. */
    private JsonNode seenOnce(String address) throws IOException, InterruptedException {
        JsonNode seen = null;
        for (int look = 0; look < MOST_LOOKS && !hasRates(seen); look++) {
            RcommProcess once = RcommProcess.run(folder, "top", "--once", "--json", address);
            assertThat(once.exitCode()).as(once.lines().toString()).isZero();
            seen = JsonMapper.shared().readTree(once.lines().getLast());
        }
        return Objects.requireNonNull(seen);
    }

    private static boolean hasRates(@Nullable JsonNode seen) {
        return seen != null && seen.get("ranks").valueStream().allMatch(rank -> rank.has("callsPerSecond"));
    }

    @Test
    void top_besideATraining_isFoundShownAndKilled_andSeesTheEnd() throws Exception {
        Written job = startTraining();
        StoreAddress place = jobOf(job.process).orElseThrow();
        String address = place.host() + ":" + place.port();
        assertThat(seenOnce(address).get("ranks"))
                .allSatisfy(rank ->
                        assertThat(rank.path("callsPerSecond").asDouble(0)).isPositive());

        Written killed = start(rcomm("top", address));
        killed.await("a block", text -> text.contains("CALLS/S"));
        killed.process.destroyForcibly().waitFor();
        int before = job.text().length();
        job.await("further epochs", text -> text.length() > before);

        Written last = start(rcomm("top", address));
        last.await("another block", text -> text.contains("CALLS/S"));
        job.process.destroy();
        assertThat(job.process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(last.process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(last.whole()).contains("the job has ended");
        assertThat(JobWatch.jobsHere()).extracting(StoreAddress::port).doesNotContain(place.port());
    }

    @Test
    void top_ofAJobThatLosesARank_showsIt_andFails() throws Exception {
        Written job = startTraining();
        StoreAddress place = jobOf(job.process).orElseThrow();
        Written top = start(rcomm("top", "--json", "--every=0.2", place.host() + ":" + place.port()));
        top.await("rates of both ranks", text -> text.lines().anyMatch(RcommTopJobTest::hasRatesOfBoth));
        JsonNode rank = JsonMapper.shared()
                .readTree(top.text()
                        .lines()
                        .filter(RcommTopJobTest::hasRatesOfBoth)
                        .findFirst()
                        .orElseThrow())
                .get("ranks")
                .get(1);
        ProcessHandle.of(rank.get("pid").asLong()).orElseThrow().destroyForcibly();
        assertThat(top.process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(top.whole()).contains("\"state\":\"LOST\"", "\"failure\":");
        assertThat(top.process.exitValue()).isEqualTo(1);
        assertThat(job.process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private static boolean hasRatesOfBoth(String line) {
        return line.indexOf("callsPerSecond") != line.lastIndexOf("callsPerSecond");
    }
}

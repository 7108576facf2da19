package io.reactivecomm.samples.bench.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.samples.bench.Rcomm;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The end of {@code rcomm hosts} by a signal, of which no code of it need hear, while ranks are deaf to what tells them to end. */
@Tag("thorough")
@Timeout(120)
class KilledHostsTest {

    /** Several times what docs/hosts.md says of a machine that has time. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private static final String OWN_NETWORK = "/proc/self/ns/net";

    /** The command, and of each of two hosts its shell, its rank, and what that has started. */
    private static final int LEAST_PROCESSES = 1 + 2 * 3;

    @ParameterizedTest
    @CsvSource({"INT, 0", "INT, 1", "TERM, 0", "TERM, 1", "KILL, 0", "KILL, 1"})
    void signal_leavesNoProcess_noNamespace_noInterface(String signal, String latencyMillis) throws Throwable {
        String refusal = Refusal.ofThisMachine();
        assumeTrue(refusal.isEmpty(), refusal);
        Set<String> interfacesBefore = interfaces();
        Process rcomm = start(latencyMillis);
        try (BufferedReader lines = rcomm.inputReader()) {
            // Each rank has said where it is once its children run.
            List<String> networks = Stream.of(lines.readLine(), lines.readLine()).map(line -> line.substring(line.indexOf("net:"))).toList();
            List<ProcessHandle> family = Stream.concat(Stream.of(rcomm.toHandle()), rcomm.descendants()).toList();
            assertThat(networks).doesNotHaveDuplicates().doesNotContain(network(Path.of(OWN_NETWORK)));
            assertThat(family).hasSizeGreaterThanOrEqualTo(LEAST_PROCESSES);
            requireEnd(networks, family, () -> send(signal, rcomm));
        } finally {
            rcomm.destroyForcibly();
        }
        assertThat(interfaces()).isEqualTo(interfacesBefore);
    }

    /**
     * A namespace without processes, names and open files is gone, and its interfaces with it. Until it is looked for, it is held open: its number would
     * be given to others.
     */
    private static void requireEnd(List<String> networks, List<ProcessHandle> family, ThrowingCallable signal) throws Throwable {
        List<Closeable> held = new ArrayList<>();
        try {
            for (ProcessHandle each : family) {
                held.add(Files.newInputStream(networkOf(each.pid())));
            }
            signal.call();
            CompletableFuture<?>[] ends = family.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
            assertThat(CompletableFuture.allOf(ends)).succeedsWithin(PATIENCE);
            assertThat(networksOfProcesses()).doesNotContainAnyElementsOf(networks);
        } finally {
            for (Closeable each : held) {
                each.close();
            }
        }
    }

    /** Ctrl-C is to all processes of a terminal's foreground, the others to one. */
    private static void send(String signal, Process to) throws Exception {
        String target = (signal.equals("INT") ? "-" : "") + to.pid();
        assertThat(new ProcessBuilder("kill", "-s", signal, "--", target).inheritIO().start().waitFor()).isZero();
    }

    /** In a group of processes of its own, with signals as they are in a terminal: what starts in the background may be deaf to INT. */
    private static Process start(String latencyMillis) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "setsid", "env", "--default-signal=INT,TERM",
                ProcessHandle.current().info().command().orElseThrow(), "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), Rcomm.class.getName(), "hosts", "--hosts", "2", "--latency-ms", latencyMillis, "--"));
        command.addAll(List.of("sh", "-c", "trap '' TERM; sleep 1000 & sleep 1001 & readlink /proc/$$/ns/net; wait"));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static Set<String> interfaces() throws IOException {
        try (Stream<Path> devices = Files.list(Path.of("/sys/class/net"))) {
            return devices.map(device -> device.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    private static Set<String> networksOfProcesses() throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes.map(process -> network(process.resolve("ns/net"))).collect(Collectors.toSet());
        }
    }

    private static Path networkOf(long pid) {
        return Path.of("/proc", Long.toString(pid), "ns", "net");
    }

    private static String network(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (IOException e) {
            // No process, or one that has just ended.
            return "";
        }
    }
}

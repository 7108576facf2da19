package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.rcomm.Rcomm;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The end of {@code rcomm hosts} by a signal, of which no code of it need hear, while ranks are deaf to what tells them to end, and have started
 * processes in sessions of their own.
 */
@Tag("thorough")
@Timeout(120)
class KilledHostsTest {

    /** Several times what docs/hosts.md says of a machine that has time. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private static final String OWN_NETWORK = "/proc/self/ns/net";

    /** The command, and of each of two hosts its shell, its rank, and what that has started. */
    private static final int LEAST_PROCESSES = 1 + 2 * 3;

    /** Ctrl-C is to all processes of a terminal's foreground, and so is the end by a runner of jobs, such as {@code timeout -s KILL}. */
    @ParameterizedTest
    @CsvSource({
        "INT, true, 0",
        "INT, true, 1",
        "TERM, false, 0",
        "TERM, false, 1",
        "KILL, false, 0",
        "KILL, false, 1",
        "KILL, true, 0",
        "KILL, true, 1"
    })
    void signal_leavesNoProcess_noNamespace_noInterface(String signal, boolean toGroup, String latencyMillis)
            throws Throwable {
        requireNothingLeft(latencyMillis, (rcomm, networks) -> send(signal, toGroup ? -rcomm.pid() : rcomm.pid()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void shellThatIsKilled_isTheEnd_andLeavesNothingEither(String latencyMillis) throws Throwable {
        requireNothingLeft(latencyMillis, (rcomm, networks) -> {
            long shell = shellOf(rcomm, networks.getFirst());
            send("KILL", shell);
            assertThat(rcomm.inputReader().lines())
                    .anyMatch(line -> line.contains("the shell that holds a host was ended: holder=" + shell));
            assertThat(rcomm.waitFor()).isOne();
        });
    }

    /** By the end of the command its main thread has not got to what it would do about the shell: it waits for ranks that are deaf. */
    @Test
    void shellThatIsKilledJustBeforeTheCommandEnds_leavesNothingEither() throws Throwable {
        requireNothingLeft(
                "0", (rcomm, networks) -> send("KILL", shellOf(rcomm, networks.getFirst()), "TERM", rcomm.pid()));
    }

    /** {@return the shell that holds that network, which leads a session} */
    private static long shellOf(Process rcomm, String network) {
        return rcomm.children()
                .filter(child -> network.equals(network(networkOf(child.pid()))) && sessionOf(child) == child.pid())
                .findFirst()
                .orElseThrow()
                .pid();
    }

    /** The end of a run whose hosts have those networks. */
    private interface End {

        void of(Process rcomm, List<String> networks) throws Exception;
    }

    private static void requireNothingLeft(String latencyMillis, End end) throws Throwable {
        String refusal = Refusal.ofThisMachine();
        assumeTrue(refusal.isEmpty(), refusal);
        Set<String> interfacesBefore = interfaces();
        Process rcomm = start(latencyMillis);
        try (BufferedReader lines = rcomm.inputReader()) {
            // Each rank has said where it is once its children run.
            List<String> networks = Stream.of(lines.readLine(), lines.readLine())
                    .map(line -> line.substring(line.indexOf("net:")))
                    .toList();
            List<ProcessHandle> family = Stream.concat(Stream.of(rcomm.toHandle()), rcomm.descendants())
                    .toList();
            assertThat(networks).doesNotHaveDuplicates().doesNotContain(network(Path.of(OWN_NETWORK)));
            assertThat(family).hasSizeGreaterThanOrEqualTo(LEAST_PROCESSES);
            requireEnd(networks, family, () -> end.of(rcomm, networks));
        } finally {
            rcomm.destroyForcibly();
        }
        assertThat(interfaces()).isEqualTo(interfacesBefore);
    }

    /**
     * A namespace without processes, names and open files is gone, and its interfaces with it. Until it is looked for, it is held open: its number
     * would be given to others.
     */
    private static void requireEnd(List<String> networks, List<ProcessHandle> family, ThrowingCallable signal)
            throws Throwable {
        List<Closeable> held = new ArrayList<>();
        try {
            for (ProcessHandle each : family) {
                held.add(Files.newInputStream(networkOf(each.pid())));
            }
            signal.call();
            CompletableFuture<?>[] ends =
                    family.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
            assertThat(CompletableFuture.allOf(ends)).succeedsWithin(PATIENCE);
            // Of shells, another may have come since, which ends what is left, and then itself.
            CompletableFuture<?>[] left = ProcessHandle.allProcesses()
                    .filter(process -> networks.contains(network(networkOf(process.pid()))))
                    .map(ProcessHandle::onExit)
                    .toArray(CompletableFuture<?>[]::new);
            assertThat(CompletableFuture.allOf(left)).succeedsWithin(PATIENCE);
            assertThat(networksOfProcesses()).doesNotContainAnyElementsOf(networks);
        } finally {
            for (Closeable each : held) {
                each.close();
            }
        }
    }

    private static void send(String signal, long target) throws Exception {
        shell("kill -s " + signal + " -- " + target);
    }

    /** As the other, and another right after it. */
    private static void send(String signal, long target, String next, long nextTarget) throws Exception {
        shell("kill -s " + signal + " -- " + target + "; kill -s " + next + " -- " + nextTarget);
    }

    private static void shell(String script) throws Exception {
        assertThat(new ProcessBuilder("sh", "-c", script).inheritIO().start().waitFor())
                .isZero();
    }

    /** In a group of processes of its own, with signals as they are in a terminal: what starts in the background may be deaf to INT. */
    private static Process start(String latencyMillis) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "setsid",
                "env",
                "--default-signal=INT,TERM",
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Rcomm.class.getName(),
                "hosts",
                "--hosts",
                "2",
                "--latency-ms",
                latencyMillis,
                "--"));
        command.addAll(
                List.of(
                        "sh",
                        "-c",
                        "trap '' TERM; (setsid sleep 999 &); sleep 1000 & sleep 1001 & echo $(readlink /proc/$$/ns/net); wait"));
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

    /** {@return the sixth field of the process's line, where the second is a name in brackets} */
    private static long sessionOf(ProcessHandle process) {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return Long.parseLong(line.substring(line.lastIndexOf(')')).split(" ")[4]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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

package io.reactivecomm.samples.bench.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.samples.bench.Rcomm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of {@code rcomm hosts} by a signal that no code of it hears. */
@Tag("thorough")
@Timeout(120)
class KilledHostsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String OWN_NETWORK = "/proc/self/ns/net";

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void killed_leavesNoProcess_noNamespace_noInterface(String latencyMillis) throws Exception {
        String refusal = Refusal.ofThisMachine();
        assumeTrue(refusal.isEmpty(), refusal);
        Set<String> interfacesBefore = interfaces();
        Process rcomm = start(latencyMillis);
        List<String> networks;
        List<ProcessHandle> family;
        try (BufferedReader lines = rcomm.inputReader()) {
            // Each rank has said where it is once both of its children run.
            networks = Stream.of(lines.readLine(), lines.readLine()).map(line -> line.substring(line.indexOf("net:"))).toList();
            family = rcomm.descendants().toList();
            rcomm.destroyForcibly().waitFor();
        }
        assertThat(networks).doesNotHaveDuplicates().doesNotContain(network(Path.of(OWN_NETWORK)));
        assertThat(family).filteredOn(process -> process.info().commandLine().orElse("").contains("sleep")).hasSizeGreaterThanOrEqualTo(2);
        family.forEach(process -> assertThat(process.onExit()).succeedsWithin(PATIENCE));
        // A namespace without processes, names and open files is gone, and its interfaces with it.
        assertThat(networksOfProcesses()).doesNotContainAnyElementsOf(networks);
        assertThat(interfaces()).isEqualTo(interfacesBefore);
    }

    private static Process start(String latencyMillis) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(), "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), Rcomm.class.getName(), "hosts", "--hosts", "2", "--latency-ms", latencyMillis, "--"));
        command.addAll(List.of("sh", "-c", "trap '' TERM; sleep 1000 & readlink /proc/$$/ns/net; sleep 1001; wait"));
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

    private static String network(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (IOException e) {
            // No process, or one that has just ended.
            return "";
        }
    }
}

package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.launch.JobOutput;
import io.reactivecomm.launch.LaunchException;
import io.reactivecomm.rcomm.latency.Rate;
import io.reactivecomm.spi.RankJvmOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs on hosts that are namespaces: who is where, and that what goes between hosts goes by the wire. */
@Tag("thorough")
@Timeout(180)
class HostsRunTest {

    private static final Duration NO_LATENCY = Duration.ZERO;
    private static final Duration LATENCY = Duration.ofMillis(3);
    private static final Pattern HOST_LINE = Pattern.compile("host (\\d+): sent (\\d+) bytes, received (\\d+)");

    private final StringWriter said = new StringWriter();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void requireNamespaces() {
        String refusal = Refusal.ofThisMachine();
        assumeTrue(refusal.isEmpty(), refusal);
    }

    private HostsRun run(Placement placement, Duration latency, List<String> command) {
        return run(placement, latency, command, new PrintWriter(said), out);
    }

    private HostsRun run(
            Placement placement, Duration latency, List<String> command, PrintWriter ours, OutputStream ofRanks) {
        HostsOptions options = new HostsOptions(placement, Rate.UNLIMITED, latency, false, command);
        return new HostsRun(options, ours, new JobOutput(ofRanks, err, rank -> "[" + rank + "] ", Set.of()));
    }

    private List<String> lines() {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private List<InterfaceTraffic> traffic() {
        return HOST_LINE
                .matcher(said.toString())
                .results()
                .map(HostsRunTest::traffic)
                .toList();
    }

    private static InterfaceTraffic traffic(MatchResult line) {
        return new InterfaceTraffic(Long.parseLong(line.group(2)), Long.parseLong(line.group(3)), 0);
    }

    private static List<String> exchange(String... before) {
        List<String> command = new ArrayList<>(List.of(before));
        command.addAll(
                List.of(ProcessHandle.current().info().command().orElseThrow(), "--enable-native-access=ALL-UNNAMED"));
        command.addAll(RankJvmOptions.inherited().stream()
                .filter(flag -> flag.startsWith("-XX:"))
                .toList());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ExchangingRank.class.getName()));
        return command;
    }

    private static List<String> script(String text) {
        return List.of("sh", "-c", text);
    }

    private void requireBytesOnTheWire(int hosts) {
        assertThat(traffic())
                .hasSize(hosts)
                .allSatisfy(host -> WireRate.requireCounted(host, ExchangingRank.LEAST_BYTES));
    }

    @Test
    void ranks_findTheirPlaces_andTheirHostsAddresses() {
        String script = "echo $RANK $WORLD_SIZE $LOCAL_RANK $RCOMM_HOST_ID $(ip -br addr show dev eth0)";
        assertThat(run(new Placement(2, 2, true), NO_LATENCY, script(script)).run())
                .isZero();
        assertThat(lines().stream().sorted())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("[0] 0 4 0 host-0").contains("10.77.0.1/24"),
                        line -> assertThat(line).startsWith("[1] 1 4 0 host-1").contains("10.77.0.2/24"),
                        line -> assertThat(line).startsWith("[2] 2 4 1 host-0").contains("10.77.0.1/24"),
                        line -> assertThat(line).startsWith("[3] 3 4 1 host-1").contains("10.77.0.2/24"));
    }

    @Test
    void run_exitCodeIsTheRanks() {
        assertThat(run(new Placement(2, 1, false), NO_LATENCY, script("exit $((RANK * 3))"))
                        .run())
                .isEqualTo(3);
        assertThat(said.toString()).contains("host 0: sent", "host 1: sent");
    }

    /** As System.out is on a full disk, and as it is given to a run. */
    private static PrintStream fullDisk() {
        return new PrintStream(new OutputStream() {

            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        });
    }

    @Test
    void run_whoseRanksNobodyHears_ends() {
        assertThatThrownBy(run(
                        new Placement(2, 1, false), NO_LATENCY, List.of("yes"), new PrintWriter(said), fullDisk())::run)
                .isInstanceOf(LaunchException.class)
                .hasMessageContaining("stream=standard output");
        assertThat(traffic()).hasSize(2);
    }

    @Test
    void run_whoseReportNobodyHears_fails() {
        assertThatThrownBy(run(
                        new Placement(2, 1, false), NO_LATENCY, List.of("true"), new PrintWriter(fullDisk()), out)::run)
                .isInstanceOf(HostsException.class)
                .hasMessageContaining("line=\"host 0: sent");
    }

    @Test
    void allReduce_acrossHosts_goesByTheWire() {
        assertThat(run(new Placement(2, 2, false), NO_LATENCY, exchange()).run())
                .as(err::toString)
                .isZero();
        assertThat(lines()).containsExactlyInAnyOrder("[0] sum 30.0", "[1] sum 30.0", "[2] sum 30.0", "[3] sum 30.0");
        requireBytesOnTheWire(2);
    }

    @Test
    void allReduce_acrossHostsWithLatency_goesByTheRelay() {
        assertThat(run(new Placement(3, 1, false), LATENCY, exchange()).run())
                .as(err::toString)
                .isZero();
        assertThat(lines()).containsExactlyInAnyOrder("[0] sum 21.0", "[1] sum 21.0", "[2] sum 21.0");
        requireBytesOnTheWire(3);
        assertThat(said.toString()).containsPattern("relay: \\d+\\.\\d % of a core, [1-9]\\d+ packets, 0 dropped");
    }

    @Test
    void programsInTurn_meetAtTheSamePort() {
        String one = String.join(
                " ", exchange().stream().map(word -> "'" + word + "'").toList());
        assertThat(run(new Placement(2, 1, false), NO_LATENCY, script(one + " && " + one))
                        .run())
                .as(err::toString)
                .isZero();
        assertThat(lines()).filteredOn(line -> line.endsWith("sum 13.0")).hasSize(4);
    }

    private static List<String> bypassing(String... after) {
        return Stream.concat(exchange("env", "RCOMM_HOST_ID=one").stream(), Stream.of(after))
                .toList();
    }

    /** The check of bytes can fail: hosts that are given one name take each other for one, and share memory. */
    @Test
    void plantedBypass_isTold_byTheCounters() {
        assertThat(run(new Placement(2, 2, false), NO_LATENCY, bypassing())
                        .withWatchEvery(Duration.ofDays(1))
                        .run())
                .as(err::toString)
                .isZero();
        assertThat(lines()).hasSize(4).allMatch(line -> line.endsWith("sum 30.0"));
        assertThat(traffic())
                .hasSize(2)
                .allSatisfy(host -> assertThat(host.sent()).isLessThan(ExchangingRank.LEAST_BYTES));
        assertThatThrownBy(() -> requireBytesOnTheWire(2))
                .hasMessageContaining("bytes between hosts do not go by the wire");
    }

    @Test
    void plantedBypass_isRefused_whileItRuns() {
        assertThatThrownBy(run(new Placement(2, 2, false), NO_LATENCY, bypassing("wait"))::run)
                .isInstanceOf(HostsException.class)
                .hasMessageStartingWith("hosts share memory, so bytes bypass the wire: writer=host ");
    }
}

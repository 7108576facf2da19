package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.rcomm.latency.Rate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** Networks of namespaces, and plain sockets in them. */
@Tag("thorough")
@Timeout(120)
class HostNetworkTest {

    private static final Rate SLOW = new Rate(100_000_000);

    @BeforeEach
    void requireNamespaces() {
        String refusal = Refusal.ofThisMachine();
        assumeTrue(refusal.isEmpty(), refusal);
    }

    private static HostNetwork network(int hosts, Rate rate, int latencyMillis) {
        return HostNetwork.make(new HostsOptions(
                new Placement(hosts, 1, false), rate, Duration.ofMillis(latencyMillis), false, List.of("true")));
    }

    /** {@return how long it took to connect and to hear a byte} */
    private static long nanosOfConnectAndByte(HostNetwork network, int client, int server, String address)
            throws IOException {
        List<NetworkNamespace> hosts = network.hosts();
        try (ServerSocketChannel door =
                hosts.get(server).call(() -> ServerSocketChannel.open().bind(new InetSocketAddress(address, 0)))) {
            long begun = System.nanoTime();
            try (SocketChannel one = hosts.get(client).call(() -> SocketChannel.open(door.getLocalAddress()));
                    SocketChannel other = door.accept()) {
                one.write(ByteBuffer.wrap(new byte[] {5}));
                assertThat(other.read(ByteBuffer.allocate(1))).isEqualTo(1);
                return System.nanoTime() - begun;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void eachHost_reachesEachOther_byBothKindsOfAddresses(int latencyMillis) throws IOException {
        try (HostNetwork network = network(3, Rate.UNLIMITED, latencyMillis)) {
            for (int client = 0; client < 3; client++) {
                for (int server = 0; server < 3; server++) {
                    assertThat(nanosOfConnectAndByte(network, client, server, HostAddress.v4(server)))
                            .isPositive();
                    assertThat(nanosOfConnectAndByte(network, client, server, HostAddress.v6(server)))
                            .isPositive();
                }
            }
        }
    }

    @Test
    void latency_isThatOfEachPacket() throws IOException {
        try (HostNetwork network = network(2, Rate.UNLIMITED, 20)) {
            // There, back, and there with the byte.
            assertThat(nanosOfConnectAndByte(network, 0, 1, HostAddress.v4(1)))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(60).toNanos());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void rate_isNotExceeded(int latencyMillis) {
        try (HostNetwork network = network(2, SLOW, latencyMillis)) {
            long begin = System.nanoTime();
            WireFigures figures = WireRate.measure(network, SLOW);
            long nanos = System.nanoTime() - begin;
            // All but the bursts of both buckets has to come at the rate. One round alone may be shorter: some of it
            // can have come before its clock starts.
            long bytes = (figures.roundNanos().size() + 1L) * figures.bytes();
            assertThat(nanos).isGreaterThanOrEqualTo((bytes - 2 * (64 << 10)) * 80L);
        }
    }

    /** It does not lie in wait for a process that had not begun when it looked. */
    @Test
    void namespace_thatIsClosed_leavesNoProcessThatGoesFromOneToTheNext() throws IOException {
        NetworkNamespace namespace = NetworkNamespace.make();
        List<String> words = new ArrayList<>(namespace.prefix());
        words.addAll(List.of(
                "sh",
                "-c",
                "export next='sleep 0.01; setsid sh -c \"$next\" & exit'; readlink /proc/$$/ns/net;"
                        + " for one in 1 2 3 4 5; do setsid sh -c \"$next\" & done"));
        String network;
        try (BufferedReader said = new ProcessBuilder(words).start().inputReader()) {
            network = said.readLine();
        }
        try (InputStream _ = heldOpen(namespace)) {
            namespace.close();
            assertThat(network).startsWith("net:");
            assertThat(ProcessHandle.allProcesses().map(HostNetworkTest::network))
                    .doesNotContain(network);
        }
    }

    /** {@return what keeps its number from being given to another} */
    private static InputStream heldOpen(NetworkNamespace namespace) throws IOException {
        return Files.newInputStream(Path.of("/proc/" + namespace.holder() + "/ns/net"));
    }

    private static String network(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/ns/net"))
                    .toString();
        } catch (IOException e) {
            // It has just ended.
            return "";
        }
    }

    /** The shell's number may be that of a process in this machine's own network, whose interface is not to be touched. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void host_whoseShellIsGone_isTold_isEnteredNevertheless_andEnded(int latencyMillis) throws IOException {
        HostNetwork network = network(1, Rate.UNLIMITED, latencyMillis);
        try (InputStream _ = heldOpen(network.hosts().getFirst())) {
            requireEnd(network);
        }
    }

    private static void requireEnd(HostNetwork network) throws IOException {
        NetworkNamespace host = network.hosts().getFirst();
        String number = network(ProcessHandle.of(host.holder()).orElseThrow());
        List<String> words = Stream.concat(host.prefix().stream(), Stream.of("setsid", "sleep", "1000"))
                .toList();
        ProcessHandle left = new ProcessBuilder(words).start().toHandle();
        ProcessHandle holder = ProcessHandle.of(host.holder()).orElseThrow();
        holder.destroyForcibly();
        try (network) {
            StepVerifier.create(host.loss())
                    .expectErrorSatisfies(loss -> assertThat(loss)
                            .isInstanceOf(HostsException.class)
                            .hasMessageStartingWith("the shell that holds a host was ended: holder=" + holder.pid()))
                    .verify(Duration.ofSeconds(20));
            assertThatCode(() -> host.run("ip link set eth0 down")).doesNotThrowAnyException();
        }
        assertThat(left.onExit()).succeedsWithin(Duration.ofSeconds(20));
        assertThat(ProcessHandle.allProcesses().map(HostNetworkTest::network)).doesNotContain(number);
    }

    @Test
    void interface_thatIsDownForAWhile_losesPackets_andGetsThemAgain() throws IOException {
        try (HostNetwork network = network(2, Rate.UNLIMITED, 1);
                DatagramChannel sender = network.hosts().get(0).call(DatagramChannel::open)) {
            network.hosts().get(1).run("ip link set eth0 down");
            for (int time = 0; time < 1000 && network.report().getFirst().endsWith(" 0 dropped"); time++) {
                sender.send(ByteBuffer.wrap(new byte[] {5}), new InetSocketAddress(HostAddress.v4(1), 9));
            }
            assertThat(network.report().getFirst()).doesNotEndWith(" 0 dropped");
            network.hosts().get(1).run("ip link set eth0 up");
            assertThat(nanosOfConnectAndByte(network, 0, 1, HostAddress.v4(1))).isPositive();
        }
    }

    /** A rank is root and may have taken its interface away. The other one's is not left because of that, nor what reads from it. */
    @Test
    void interfaceThatIsGoneBefore_isTold_andNothingIsLeft() {
        HostNetwork network = network(2, Rate.UNLIMITED, 1);
        List<ProcessHandle> holders = holders(network);
        network.hosts().getFirst().run("ip link del eth0");
        assertThatThrownBy(network::close).isInstanceOf(HostsException.class).hasMessageContaining("ip link del eth0");
        assertThat(holders).noneMatch(ProcessHandle::isAlive);
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("rcomm-relay-"));
    }

    private static List<ProcessHandle> holders(HostNetwork network) {
        return network.hosts().stream()
                .map(host -> ProcessHandle.of(host.holder()).orElseThrow())
                .toList();
    }

    @Test
    void network_thatIsClosed_leavesNoProcess() {
        HostNetwork network = network(2, SLOW, 1);
        List<ProcessHandle> holders = holders(network);
        network.close();
        assertThat(holders).noneMatch(ProcessHandle::isAlive);
    }
}

package io.reactivecomm.samples.bench.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.samples.bench.latency.Rate;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        return HostNetwork.make(new HostsOptions(new Placement(hosts, 1, false), rate, Duration.ofMillis(latencyMillis), false, List.of("true")));
    }

    /** {@return how long it took to connect and to hear a byte} */
    private static long nanosOfConnectAndByte(HostNetwork network, int client, int server, String address) throws IOException {
        List<NetworkNamespace> hosts = network.hosts();
        try (ServerSocketChannel door = hosts.get(server).call(() -> ServerSocketChannel.open().bind(new InetSocketAddress(address, 0)))) {
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
                    assertThat(nanosOfConnectAndByte(network, client, server, HostAddress.v4(server))).isPositive();
                    assertThat(nanosOfConnectAndByte(network, client, server, HostAddress.v6(server))).isPositive();
                }
            }
        }
    }

    @Test
    void latency_isThatOfEachPacket() throws IOException {
        try (HostNetwork network = network(2, Rate.UNLIMITED, 20)) {
            // There, back, and there with the byte.
            assertThat(nanosOfConnectAndByte(network, 0, 1, HostAddress.v4(1))).isGreaterThanOrEqualTo(Duration.ofMillis(60).toNanos());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void rate_isNotExceeded(int latencyMillis) {
        try (HostNetwork network = network(2, SLOW, latencyMillis)) {
            WireFigures figures = Wire.measure(network, SLOW);
            // All but the bursts of both buckets has to come at the rate.
            long leastNanos = (figures.bytes() - 2 * (64 << 10)) * 80L;
            assertThat(figures.roundNanos()).allMatch(nanos -> nanos >= leastNanos);
        }
    }

    @Test
    void network_thatIsClosed_leavesNoProcess() {
        HostNetwork network = network(2, SLOW, 1);
        List<ProcessHandle> holders = network.hosts().stream().map(host -> ProcessHandle.of(host.holder()).orElseThrow()).toList();
        network.close();
        assertThat(holders).noneMatch(ProcessHandle::isAlive);
    }
}

package io.reactivecomm.netty.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.netty.process.Namespaces.Network;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes in network namespaces with two networks each, or with IPv6 alone: their bytes take the network that is named. */
@Tag("thorough")
@Timeout(300)
class NamedNetworkInNamespacesTest {

    private static final int RANKS = 3;

    /** Of a network that carries the store's connections and no tensors: a hundredth of what these are. */
    private static final long FEW_BYTES = TrafficRank.BYTES / 100;

    private static final Network MANAGEMENT = Network.of("eth0", "10.77.0.%d/24");
    private static final Network FAST = Network.of("ib0", "10.78.0.%d/24", "fd78::%d/64");

    private final List<RankJvm> ranks = new ArrayList<>();
    private Namespaces network;

    @BeforeEach
    void requireNamespaces() throws Exception {
        String refusal = Namespaces.refusal();
        assumeTrue(refusal == null, refusal);
    }

    @AfterEach
    void end() {
        ranks.forEach(RankJvm::close);
        if (network != null) {
            network.close();
        }
    }

    private void start(String store, String... settings) {
        start(rank -> store, settings);
    }

    private void start(IntFunction<String> store, String... settings) {
        for (int rank = 0; rank < RANKS; rank++) {
            Map<String, String> environment = new HashMap<>(Map.of(
                    "RANK",
                    Integer.toString(rank),
                    "WORLD_SIZE",
                    Integer.toString(RANKS),
                    "MASTER_ADDR",
                    store.apply(rank),
                    "MASTER_PORT",
                    "29500",
                    "RCOMM_TOKEN",
                    "a token for ranks in namespaces"));
            for (int i = 0; i < settings.length; i += 2) {
                environment.put(settings[i], settings[i + 1]);
            }
            ranks.add(new RankJvm(rank, network.prefix(rank), environment, TrafficRank.class));
        }
    }

    private void expectSums() throws InterruptedException {
        for (RankJvm rank : ranks) {
            assertThat(rank.await("sum")).isEqualTo("sum " + RANKS * (RANKS + 1) / 2);
        }
    }

    private void expectBytesBy(String used, String idle) throws Exception {
        expectSums();
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(network.sentBytes(rank, used))
                    .as("rank %d by %s", rank, used)
                    .isGreaterThan(TrafficRank.BYTES);
            assertThat(network.sentBytes(rank, idle))
                    .as("rank %d by %s", rank, idle)
                    .isLessThan(FEW_BYTES);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib0", "10.78.0.0/16", "fd78::/64"})
    void tensors_takeTheNetworkThatIsNamed(String named) throws Exception {
        network = new Namespaces(RANKS, MANAGEMENT, FAST);
        start("10.77.0.1", "RCOMM_INTERFACE", named);
        expectBytesBy("ib0", "eth0");
    }

    @Test
    void tensors_takeTheStoresNetwork_ifNoneIsNamed() throws Exception {
        network = new Namespaces(RANKS, MANAGEMENT, FAST);
        start("10.77.0.1");
        expectBytesBy("eth0", "ib0");
    }

    /** Two adapters of one network: the routes to it name the first, and those for packets from the second's address the second. */
    @Test
    void connections_comeFromTheNamedAddress_soThatRoutesBySourceCount() throws Exception {
        network = new Namespaces(RANKS, MANAGEMENT, Network.of("eth1", "10.77.1.%d/32"));
        for (int rank = 0; rank < RANKS; rank++) {
            network.at(rank, "ip route add 10.77.1.0/24 dev eth0");
            network.at(rank, "ip route add 10.77.1.0/24 dev eth1 table 100");
            network.at(rank, "ip rule add from 10.77.1." + (rank + 1) + " table 100");
        }
        start("10.77.0.1", "RCOMM_INTERFACE", "eth1");
        expectBytesBy("eth1", "eth0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fd77::1", "[fd77::1]"})
    void ipv6Alone_isEnough(String store) throws Exception {
        network = new Namespaces(RANKS, Network.of("eth0", "fd77::%d/64"));
        start(store);
        expectSums();
    }

    /** Of a name with addresses of both families each rank takes the one that leads somewhere. */
    @Test
    void ipv6Alone_isEnough_whereTheNameHasAnAddressOfIpv4Too(@TempDir Path folder) throws Exception {
        network = new Namespaces(RANKS, Network.of("eth0", "fd77::%d/64"));
        Path names = Files.writeString(folder.resolve("hosts"), "10.77.0.1 node0\nfd77::1 node0\n");
        start("node0", "JAVA_TOOL_OPTIONS", "-Djdk.net.hosts.file=" + names);
        expectSums();
    }

    @Test
    void nameWithAnAddressOnEachNetwork_isDialledByTheOneThatIsNamed(@TempDir Path folder) throws Exception {
        network = new Namespaces(RANKS, MANAGEMENT, FAST);
        Path names = Files.writeString(folder.resolve("hosts"), "10.77.0.1 node0\nfd78::1 node0\n10.78.0.1 node0\n");
        start("node0", "RCOMM_INTERFACE", "ib0", "JAVA_TOOL_OPTIONS", "-Djdk.net.hosts.file=" + names);
        expectBytesBy("ib0", "eth0");
        assertThat(network.sentBytes(1, "eth0")).isZero();
    }

    /** The interface is called otherwise on each: whoever dials an address of one link goes by the name of its own. */
    @Test
    void addressesOfOneLink_areEnough() throws Exception {
        network = new Namespaces(RANKS, Network.of("eth%d", "fe80::%d/64"));
        start(rank -> "fe80::1%eth" + (rank + 1));
        expectSums();
    }

    @Test
    void addressesOfOneLink_canBeNamed() throws Exception {
        network = new Namespaces(RANKS, MANAGEMENT, Network.of("ib0", "fe80::%d/64"));
        start("10.77.0.1", "RCOMM_INTERFACE", "ib0");
        expectBytesBy("ib0", "eth0");
    }

    @Test
    void networkThatOneIsNotOn_isItsErrorAtOnce() throws Exception {
        network = new Namespaces(RANKS, MANAGEMENT, FAST);
        start("10.77.0.1", "RCOMM_INTERFACE", "10.79.0.0/16");
        for (RankJvm rank : ranks) {
            assertThat(rank.await("error"))
                    .contains("RCOMM_INTERFACE=10.79.0.0/16", "eth0 10.77.0." + (rank.rank() + 1), "ib0 ");
        }
    }
}

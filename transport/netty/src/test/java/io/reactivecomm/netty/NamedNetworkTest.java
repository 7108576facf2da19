package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.OwnAddresses;
import io.reactivecomm.netty.internal.host.UserDirectories;
import io.reactivecomm.netty.internal.link.LinkPair;
import io.reactivecomm.netty.internal.rendezvous.StoreByFile;
import io.reactivecomm.netty.internal.rendezvous.TransportResources;
import io.reactivecomm.spi.link.Mesh;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** Worlds whose ranks are told a network, or which are on IPv6 alone. */
@Timeout(60)
class NamedNetworkTest {

    private static final int RANKS = 3;

    @TempDir
    Path temporary;

    private final List<Mesh> meshes = new ArrayList<>();
    private TransportOptions options;

    @BeforeEach
    void begin() throws IOException {
        Path root = temporary.toRealPath();
        options = TransportOptions.DEFAULT.withDirectories(new UserDirectories(root.resolve("run"), root));
    }

    @AfterEach
    void end() {
        meshes.forEach(Mesh::close);
    }

    private void connect(IntFunction<CommConfig> configs) {
        meshes.addAll(Flux.range(0, RANKS)
                .map(configs::apply)
                .map(config -> config.withRendezvousTimeout(MeshWorld.PATIENCE))
                .flatMap(config -> new TcpTransport(options).connect(config))
                .collectSortedList((a, b) -> Integer.compare(a.rank(), b.rank()))
                .block(MeshWorld.PATIENCE));
    }

    private void expectLinksAt(String address) {
        InetAddress expected = InetAddress.ofLiteral(address);
        assertThat(meshes).hasSize(RANKS);
        for (Mesh mesh : meshes) {
            for (int peer = 0; peer < RANKS; peer++) {
                if (peer != mesh.rank()) {
                    InetSocketAddress end = LinkPair.localAddress(mesh.link(peer));
                    assertThat(end.getAddress())
                            .as("rank %d's end of its link to %d", mesh.rank(), peer)
                            .isEqualTo(expected);
                }
            }
        }
    }

    private static void requireIpv6() {
        String refusal = Ipv6.refusal();
        assumeTrue(refusal == null, refusal);
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void loopbackOfIpv6_withoutAToken_isAWorld(Sockets sockets) {
        requireIpv6();
        options = options.withSockets(sockets);
        int port = UnusedPort.take();
        // Each writes it in its own way; the token's file is the same.
        List<String> hosts = List.of("::1", "[::1]", "0:0:0:0:0:0:0:1");
        connect(rank -> CommConfig.of(rank, RANKS, hosts.get(rank), port));
        expectLinksAt("::1");
    }

    @Test
    void loopbackOfIpv6_byTheFormOfAnAddress_isAWorld() {
        requireIpv6();
        int port = UnusedPort.take();
        connect(rank -> CommConfig.of("tcp://[::1]:" + port, rank, RANKS));
        expectLinksAt("::1");
    }

    @Test
    void loopbackOfIpv6_throughAFile_isAWorld() {
        requireIpv6();
        connect(rank -> CommConfig.of("file://" + temporary.resolve("rendezvous"), rank, RANKS)
                .withListener("::1", 0));
        expectLinksAt("::1");
    }

    @Test
    void loopbackOfIpv6_withLanes_isAWorld() {
        requireIpv6();
        int port = UnusedPort.take();
        connect(rank -> CommConfig.of(rank, RANKS, "::1", port).withLanes(2));
        expectLinksAt("::1");
    }

    @Test
    void jobOnLoopbackOfIpv6_isFoundAndWatched() throws Exception {
        requireIpv6();
        int port = UnusedPort.take();
        connect(rank -> CommConfig.of(rank, RANKS, "::1", port));
        NettyBoardAccess access = new NettyBoardAccess(options);
        assertThat(access.jobsHere()).singleElement().asString().isEqualTo("tcp://[0:0:0:0:0:0:0:1]:" + port);
        CommConfig place = CommConfig.of(0, 1, "[::1]", port);
        try (var reader = access.open(place).block(MeshWorld.PATIENCE)) {
            assertThat(reader).isNotNull();
        }
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void secondAddressOfLoopback_thatIsNamed_isTaken(Sockets sockets) {
        String refusal = Ipv6.refusal("127.0.0.2");
        assumeTrue(refusal == null, refusal);
        options = options.withSockets(sockets);
        int port = UnusedPort.take();
        connect(rank -> CommConfig.of(rank, RANKS, "127.0.0.1", port)
                .withInterface("127.0.0.2")
                .withLanes(2));
        expectLinksAt("127.0.0.2");
    }

    @Test
    void storeOnIpv4_andLinksOnIpv6_isAWorld() {
        requireIpv6();
        int port = UnusedPort.take();
        connect(rank -> CommConfig.of(rank, RANKS, "127.0.0.1", port).withInterface("::1"));
        expectLinksAt("::1");
    }

    @Test
    void ranksOnSeveralAddresses_reachEachOther() {
        String refusal = Ipv6.refusal("127.0.0.2");
        assumeTrue(refusal == null, refusal);
        int port = UnusedPort.take();
        connect(rank -> {
            CommConfig config = CommConfig.of(rank, RANKS, "127.0.0.1", port);
            return rank == 1 ? config.withInterface("127.0.0.2") : config;
        });
        assertThat(meshes).hasSize(RANKS);
    }

    @Test
    void meeting_listensOnTheNetworkThatIsNamed() {
        requireIpv6();
        MemoryMeeting gather = new MemoryMeeting(RANKS);
        connect(rank -> CommConfig.of("tcp://unused:1", rank, RANKS)
                .withMeeting(gather.of(rank))
                .withInterface("::1"));
        expectLinksAt("::1");
    }

    @Test
    void meeting_thatIsToldWhereToListen_listensThere() {
        requireIpv6();
        MemoryMeeting gather = new MemoryMeeting(RANKS);
        connect(rank -> CommConfig.of("tcp://unused:1", rank, RANKS)
                .withMeeting(gather.of(rank))
                .withListener("127.0.0.1", 0)
                .withInterface("::1"));
        expectLinksAt("::1");
    }

    /** {@return where rank 1 is told that the store is, by a file of rank 0's} */
    private String published(UnaryOperator<CommConfig> change) {
        Path file = temporary.resolve("rendezvous");
        CommConfig config =
                change.apply(CommConfig.of("file://" + file, 0, 2)).withRendezvousTimeout(MeshWorld.PATIENCE);
        Disposable host = new TcpTransport(options).connect(config).subscribe(Mesh::close, problem -> {});
        TransportResources held = new TransportResources(1, 2, options.sockets());
        try {
            CommConfig other = CommConfig.of("file://" + file, 1, 2).withRendezvousTimeout(MeshWorld.PATIENCE);
            return new StoreByFile(file, other, held, options)
                    .meet()
                    .block(MeshWorld.PATIENCE)
                    .host();
        } finally {
            host.dispose();
            held.close();
        }
    }

    @Test
    void storeThatIsPublished_isOnTheNetworkThatIsNamed() {
        requireIpv6();
        assertThat(published(config -> config.withInterface("::1"))).isEqualTo("0:0:0:0:0:0:0:1");
    }

    @Test
    void storeThatIsPublished_andToldWhereToListen_isThere() {
        requireIpv6();
        String refusal = Ipv6.refusal("127.0.0.2");
        assumeTrue(refusal == null, refusal);
        assertThat(published(config -> config.withListener("127.0.0.2", 0).withInterface("::1")))
                .isEqualTo("127.0.0.2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-if", "198.51.100.0/28", "2001:db8:7::/64"})
    void networkThatIsNotHere_isAnErrorAtOnce(String network) {
        CommConfig config = CommConfig.of(0, 2, "127.0.0.1", UnusedPort.take()).withInterface(network);
        assertThatThrownBy(() -> new TcpTransport(options).connect(config).block(MeshWorld.PATIENCE))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("RCOMM_INTERFACE=" + network, "there are:", "127.0.0.1");
    }

    @Test
    void networkBeyondLoopback_needsATokenFitForTls_thoughTheStoreIsOnLoopback() {
        assumeFalse(OwnAddresses.all().isEmpty(), "this machine has no address beyond loopback");
        String own = OwnAddresses.all().getFirst().getHostAddress();
        CommConfig config = CommConfig.of(0, 1, "127.0.0.1", UnusedPort.take())
                .withInterface(own)
                .withToken("short");
        assertThatThrownBy(() -> new TcpTransport(options).connect(config).block(MeshWorld.PATIENCE))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("too short for TLS", "address=" + own + ", RCOMM_INTERFACE=" + own);
    }

    @Test
    void interfaceOfThisMachine_isTaken() {
        assumeFalse(OwnAddresses.all().isEmpty(), "this machine has no address beyond loopback");
        InetAddress own = OwnAddresses.all().getFirst();
        String name = OwnAddresses.ofInterfaces().stream()
                .filter(each -> each.address().equals(own))
                .findFirst()
                .orElseThrow()
                .interfaceName();
        int port = UnusedPort.take();
        connect(rank -> CommConfig.of(rank, RANKS, "127.0.0.1", port).withInterface(name));
        assertThat(LinkPair.localAddress(meshes.getFirst().link(1)).getAddress().isLoopbackAddress())
                .isFalse();
    }
}

package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.ThisHost;
import io.reactivecomm.netty.internal.link.RecordedEvents;
import io.reactivecomm.netty.internal.link.RecordedEvents.Arrived;
import io.reactivecomm.netty.internal.link.RecordedEvents.Down;
import io.reactivecomm.netty.internal.store.StoreServer;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.LinkTransport;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.spi.rendezvous.StoreHost;
import java.io.File;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;
import reactor.test.StepVerifier;

@Timeout(60)
class TcpTransportTest {

    private static final TransportOptions OPTIONS = TransportOptions.DEFAULT;

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void connect_fourRanks_allPairsTalk(Sockets sockets) {
        try (MeshWorld world = new MeshWorld(OPTIONS.withSockets(sockets))) {
            List<Mesh> meshes = world.connect(4);
            assertThat(meshes.stream().map(Mesh::worldId).distinct())
                    .singleElement()
                    .asString()
                    .isNotEmpty();
            List<RecordedEvents> events = new ArrayList<>();
            for (Mesh mesh : meshes) {
                RecordedEvents recorded = new RecordedEvents();
                events.add(recorded);
                MeshWorld.run(mesh, () -> mesh.start(recorded));
            }
            for (Mesh mesh : meshes) {
                MeshWorld.run(mesh, () -> {
                    for (int peer = 0; peer < 4; peer++) {
                        if (peer != mesh.rank()) {
                            assertThat(mesh.link(peer).peer()).isEqualTo(peer);
                            mesh.link(peer).write(new Frame.Lost(mesh.rank(), "hello " + peer));
                            mesh.link(peer).flush();
                        }
                    }
                });
            }
            for (int rank = 0; rank < 4; rank++) {
                Set<Frame> got = Set.of(
                        events.get(rank).next(Arrived.class).frame(),
                        events.get(rank).next(Arrived.class).frame(),
                        events.get(rank).next(Arrived.class).frame());
                int self = rank;
                Set<Frame> expected = IntStream.range(0, 4)
                        .filter(peer -> peer != self)
                        .mapToObj(peer -> new Frame.Lost(peer, "hello " + self))
                        .collect(Collectors.toSet());
                assertThat(got).isEqualTo(expected);
            }
            for (Mesh mesh : meshes) {
                assertThatThrownBy(() -> mesh.link(mesh.rank())).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> mesh.link(4)).hasMessageContaining("peer=4");
            }
        }
    }

    @Test
    void connect_worldOfOne_works() {
        try (MeshWorld world = new MeshWorld(OPTIONS)) {
            Mesh mesh = world.connect(1).getFirst();
            assertThat(mesh.worldSize()).isEqualTo(1);
            assertThat(mesh.loop().thread()).isInstanceOf(NonBlocking.class).matches(Thread::isDaemon);
            assertThat(mesh.loop().thread().getName()).isEqualTo("rcomm-loop-0");
        }
    }

    @Test
    void connect_signals_comeOnTheLoop() {
        try (MeshWorld world = new MeshWorld(OPTIONS)) {
            StepVerifier.create(world.join(0, 1).map(mesh -> mesh.loop().inLoop()))
                    .expectNext(true)
                    .expectComplete()
                    .verify(MeshWorld.PATIENCE);
        }
    }

    @Test
    void connect_rankZeroStartsLast_othersWaitForItsStore() throws Exception {
        int port = UnusedPort.take();
        CommConfig config = CommConfig.of(0, 2, "127.0.0.1", port).withToken("secret");
        CompletableFuture<Mesh> one = new TcpTransport()
                .connect(CommConfig.of(1, 2, "127.0.0.1", port).withToken("secret"))
                .toFuture();
        Mesh zero = new TcpTransport().connect(config).block(MeshWorld.PATIENCE);
        Mesh other = one.get();
        // The store is rank 0's: it ends with it, and only those who ask it notice.
        assertThat(other.rendezvous()).isNotNull();
        assertThat(other.rendezvous().add("n", 2).block(MeshWorld.PATIENCE)).isEqualTo(2);
        zero.close();
        assertThatThrownBy(() -> other.rendezvous().add("n", 2).block(MeshWorld.PATIENCE))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("the store has gone");
        other.close();
    }

    @Test
    void close_oneRankInGoodOrder_isNoLossToOthers() {
        try (MeshWorld world = new MeshWorld(OPTIONS)) {
            List<Mesh> meshes = world.connect(2);
            RecordedEvents events0 = new RecordedEvents();
            RecordedEvents events1 = new RecordedEvents();
            MeshWorld.run(meshes.get(0), () -> meshes.get(0).start(events0));
            MeshWorld.run(meshes.get(1), () -> meshes.get(1).start(events1));
            MeshWorld.run(meshes.get(1), () -> {
                meshes.get(1).link(0).write(new Frame.Goodbye());
                meshes.get(1).link(0).close();
            });
            assertThat(events1.next(Down.class).cause()).isNull();
            meshes.get(1).close();
            assertThat(events0.next(Arrived.class).frame()).isEqualTo(new Frame.Goodbye());
            assertThat(events0.next(Down.class).cause()).isNull();
            assertThat(events0.isEmpty()).isTrue();
        }
    }

    @Test
    void close_withOpenLinks_tellsBothSides() {
        try (MeshWorld world = new MeshWorld(OPTIONS)) {
            List<Mesh> meshes = world.connect(2);
            RecordedEvents events0 = new RecordedEvents();
            RecordedEvents events1 = new RecordedEvents();
            MeshWorld.run(meshes.get(0), () -> meshes.get(0).start(events0));
            MeshWorld.run(meshes.get(1), () -> meshes.get(1).start(events1));
            meshes.get(1).close();
            meshes.get(1).close();
            assertThat(events1.next(Down.class).cause()).contains("closed its transport");
            assertThat(events0.next(Down.class).cause()).contains("rank 1");
        }
    }

    @Test
    void close_thenAskTheStore_failsAtOnce() {
        try (MeshWorld world = new MeshWorld(OPTIONS)) {
            Mesh mesh = world.connect(1).getFirst();
            mesh.close();
            expect(mesh.rendezvous().add("n", 1), "the store has gone");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void close_givesBackThreadsAndDescriptors(int worldSize) throws Exception {
        // The first world loads classes and native libraries, which stay.
        connectAndClose(worldSize);
        int descriptors = descriptors();
        connectAndClose(worldSize);
        assertThat(MeshWorld.threads("rcomm-")).isEmpty();
        assertThat(descriptors()).isLessThanOrEqualTo(descriptors);
    }

    private static void connectAndClose(int worldSize) {
        try (MeshWorld world = new MeshWorld(OPTIONS)) {
            for (Mesh mesh : world.connect(worldSize)) {
                MeshWorld.run(mesh, () -> mesh.start(new RecordedEvents()));
            }
        }
    }

    private static int descriptors() {
        String[] open = new File("/proc/self/fd").list();
        return open == null ? 0 : open.length;
    }

    @Test
    void connect_cancelled_freesEverything() throws Exception {
        int port = UnusedPort.take();
        Disposable waiting = new TcpTransport()
                .connect(CommConfig.of(0, 2, "127.0.0.1", port))
                .subscribe();
        Disposable searching = new TcpTransport()
                .connect(CommConfig.of(1, 2, "127.0.0.1", UnusedPort.take()))
                .subscribe();
        waiting.dispose();
        searching.dispose();
        assertThat(MeshWorld.threads("rcomm-")).isEmpty();
        try (ServerSocket again = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertThat(again.isBound()).isTrue();
        }
    }

    @Test
    void serviceLoader_findsTransportAndStoreHost() {
        assertThat(ServiceLoader.load(LinkTransport.class).stream()
                        .map(p -> p.get().name()))
                .contains("tcp");
        StoreHost host = ServiceLoader.load(StoreHost.class).findFirst().orElseThrow();
        try (HostedStore store =
                host.start("127.0.0.1", 0, "t", Encryption.BETWEEN_HOSTS).block(MeshWorld.PATIENCE)) {
            assertThat(store.port()).isPositive();
        }
    }

    @Test
    void connect_beyondLoopback_isRefusedInWords() {
        CommConfig open = CommConfig.of(0, 1, "0.0.0.0", 29_500);
        expect(new TcpTransport().connect(open), "beyond loopback without a token", "RCOMM_TOKEN");
        expect(new TcpTransport().connect(open.withToken("")), "beyond loopback without a token", "RCOMM_TOKEN");
        expect(new TcpTransport().connect(open.withToken("t")), "too short for TLS", "characters=1", "RCOMM_TOKEN");
        expect(
                StoreServer.start("0.0.0.0", 0, "t", Encryption.BETWEEN_HOSTS).then(Mono.empty()),
                "too short for TLS",
                "least=22");
        for (Encryption encryption : List.of(Encryption.OFF, Encryption.BETWEEN_HOSTS)) {
            String token = encryption == Encryption.OFF ? "t" : "0123456789012345678901";
            StoreServer allowed =
                    StoreServer.start("0.0.0.0", 0, token, encryption).block(MeshWorld.PATIENCE);
            assertThat(allowed.port()).isPositive();
            allowed.close();
        }
    }

    private static void expect(Mono<?> attempt, String... parts) {
        StepVerifier.create(attempt)
                .expectErrorSatisfies(e ->
                        assertThat(e).isInstanceOf(RendezvousException.class).hasMessageContainingAll(parts))
                .verify(MeshWorld.PATIENCE);
    }

    @Test
    void host_isOneMachineForAllRanks_unlessTheyAreNamed() {
        try (MeshWorld world = new MeshWorld(TransportOptions.DEFAULT)) {
            List<Mesh> meshes = Mono.zip(
                            world.join(0, 3),
                            world.join(1, 3),
                            world.join(2, 3, config -> config.withHostId("elsewhere")))
                    .map(all -> List.of(all.getT1(), all.getT2(), all.getT3()))
                    .block(MeshWorld.PATIENCE);
            assertThat(meshes.get(0).host()).isEqualTo(meshes.get(1).host()).isEqualTo(ThisHost.identity());
            assertThat(meshes.get(2).host()).isEqualTo("elsewhere");
            // They listen at one address, and yet are of two machines, as all of them are told.
            assertThat(meshes).extracting(Mesh::hosts).containsOnly(List.of(0, 0, 1));
        }
    }

    @Test
    void identity_isMoreThanTheHostsName() throws Exception {
        Path bootId = Path.of("/proc/sys/kernel/random/boot_id");
        Assumptions.assumeTrue(Files.exists(bootId), "no " + bootId);
        String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).trim();
        assertThat(ThisHost.identity()).isEqualTo(Files.readString(bootId).trim() + " " + name);
    }
}

package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.Bits;
import io.reactivecomm.CommConfig;
import io.reactivecomm.Operation;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.link.RecordedEvents;
import io.reactivecomm.netty.internal.rendezvous.StoreSearch;
import io.reactivecomm.netty.internal.store.JoinRequest;
import io.reactivecomm.netty.internal.store.Roster;
import io.reactivecomm.netty.internal.store.StoreClient;
import io.reactivecomm.netty.internal.store.StoreServer;
import io.reactivecomm.spi.link.FrameCodec;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.testkit.RisingDeadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

@Timeout(60)
class RendezvousFaultTest {

    /** Far longer than a test waits for an error that does not wait for it. */
    private static final Duration LONG = Duration.ofMinutes(10);

    private final MeshWorld world = new MeshWorld(TransportOptions.DEFAULT);

    @AfterEach
    void end() {
        world.close();
    }

    private Mono<Mesh> join(int rank, int worldSize) {
        return world.join(rank, worldSize);
    }

    /** {@return what all the attempts fail with} */
    @SafeVarargs
    private static Set<String> failures(Mono<Mesh>... attempts) {
        List<CompletableFuture<Mesh>> running =
                Stream.of(attempts).map(Mono::toFuture).toList();
        return running.stream().map(RendezvousFaultTest::failure).collect(Collectors.toSet());
    }

    private static String failure(CompletableFuture<?> attempt) {
        Throwable problem =
                attempt.handle((joined, e) -> e).orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(problem).isInstanceOf(RendezvousException.class);
        return problem.getMessage();
    }

    private static void expect(Mono<?> attempt, String... parts) {
        StepVerifier.create(attempt)
                .expectErrorSatisfies(e ->
                        assertThat(e).isInstanceOf(RendezvousException.class).hasMessageContainingAll(parts))
                .verify(MeshWorld.PATIENCE);
    }

    @Test
    void rankClaimedTwice_allHearTheSame() {
        Set<String> heard = failures(join(0, 4), join(1, 4), join(1, 4));
        assertThat(heard)
                .singleElement()
                .asString()
                .contains("claimed twice", "rank=1", "RANK", "connect once in a process");
        assertThat(failures(join(3, 4))).as("a latecomer too").isEqualTo(heard);
    }

    @Test
    void rankClaimedTwice_afterTheWorldIsComplete_leavesTheWorldAlone() {
        List<Mesh> meshes = Mono.zip(join(0, 2), join(1, 2), List::of).block(MeshWorld.PATIENCE);
        expect(join(1, 2), "claimed twice", "rank=1");
        RecordedEvents events = new RecordedEvents();
        MeshWorld.run(meshes.get(0), () -> meshes.get(0).start(events));
        assertThat(meshes.get(1).rendezvous().add("n", 1).block(MeshWorld.PATIENCE))
                .isEqualTo(1);
        assertThat(events.isEmpty()).isTrue();
    }

    @Test
    void ranksThatHaveLeft_mayJoinAgain() {
        for (int round = 0; round < 3; round++) {
            List<Mesh> meshes = Mono.zip(join(0, 2), join(1, 2), List::of).block(MeshWorld.PATIENCE);
            CompletableFuture<?> left = meshes.getFirst()
                    .rendezvous()
                    .get("never", MeshWorld.PATIENCE)
                    .toFuture();
            meshes.forEach(Mesh::close);
            assertThat(left.handle((v, e) -> e).join()).isInstanceOf(RendezvousException.class);
        }
    }

    @Test
    void worldSizeDiffers_allHearTheSame() {
        Set<String> heard = failures(join(0, 3), join(1, 3), join(2, 5));
        assertThat(heard)
                .singleElement()
                .asString()
                .contains("world size differs", "WORLD_SIZE=3", "rank=2 has WORLD_SIZE=5");
    }

    @Test
    void worldSizeDiffers_afterTheWorldIsComplete_isToldAtOnce() {
        List<Mesh> meshes = Mono.zip(join(0, 2), join(1, 2), List::of).block(MeshWorld.PATIENCE);
        expect(
                world.join(2, 3, c -> c.withRendezvousTimeout(LONG)),
                "world size differs",
                "WORLD_SIZE=2",
                "rank=2 has WORLD_SIZE=3");
        assertThat(meshes.get(1).rendezvous().add("n", 1).block(MeshWorld.PATIENCE))
                .isEqualTo(1);
    }

    @Test
    void choicesDiffer_allHearTheSame() {
        Map<String, UnaryOperator<CommConfig>> changes = Map.of(
                "rank=2 has RCOMM_BACKEND=cuda:nccl", c -> c.withBackend("cuda:nccl"),
                "rank=2 has RCOMM_OFF=all-reduce", c -> c.withOff(Set.of(Operation.ALL_REDUCE)),
                "rank=2 has RCOMM_ALGORITHMS=ring", c -> c.withAlgorithms("ring"),
                "rank=2 has RCOMM_BITS=any-order", c -> c.withBits(Bits.ANY_ORDER),
                "RCOMM_LANES=1, rank=2 has RCOMM_LANES=4", c -> c.withLanes(4));
        changes.forEach((told, change) -> {
            try (MeshWorld other = new MeshWorld(TransportOptions.DEFAULT)) {
                Mono<Mesh> two = other.join(2, 3, change);
                assertThat(failures(two, other.join(1, 3), other.join(0, 3)))
                        .singleElement()
                        .asString()
                        .contains(
                                "a setting differs between ranks: rank=0 has RCOMM_", told, "give all ranks the same");
            }
        });
    }

    /** Afterwards the other ranks would hear of a peer, or a store, that is gone. */
    @Test
    void rowThatCannotBeRead_isTold_beforeRanksMeet() {
        CommConfig one = CommConfig.of(1, 2, "127.0.0.1", UnusedPort.take())
                .withRendezvousTimeout(MeshWorld.PATIENCE)
                .withAlgorithms("all-reduce:hosts>2=ring");
        StepVerifier.create(ReactiveComm.connect(one))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(RendezvousException.class)
                        .hasMessageContainingAll("RCOMM_ALGORITHMS", "hosts>2"))
                .verify(MeshWorld.PATIENCE);
    }

    @Test
    void choicesDiffer_whereRankZeroRunsTheStore_everyRankHears() throws Exception {
        int port = UnusedPort.take();
        CommConfig zero = CommConfig.of(0, 3, "127.0.0.1", port).withRendezvousTimeout(MeshWorld.PATIENCE);
        CommConfig one = CommConfig.of(1, 3, "127.0.0.1", port).withRendezvousTimeout(MeshWorld.PATIENCE);
        CommConfig two = CommConfig.of(2, 3, "127.0.0.1", port).withRendezvousTimeout(MeshWorld.PATIENCE);
        TcpTransport transport = new TcpTransport();
        assertThat(failures(
                        transport.connect(zero.withBackend("cuda:nccl")),
                        transport.connect(one),
                        transport.connect(two)))
                .singleElement()
                .asString()
                .contains("rank=0 has RCOMM_BACKEND=cuda:nccl", "rank=1 has RCOMM_BACKEND=cpu:links");
    }

    @Test
    void settingsOfEachRankAlone_mayDiffer() {
        Mono<Mesh> zero = join(0, 2);
        Mono<Mesh> one = world.join(
                1,
                2,
                c -> c.withTimeout(Duration.ofSeconds(1))
                        .withObjectBytes(5)
                        .withHostId("elsewhere")
                        .withCallSites(true));
        Mono.zip(zero, one).block(MeshWorld.PATIENCE);
    }

    @Test
    void versionDiffers_allHearTheSame() {
        TransportOptions newer = TransportOptions.DEFAULT.withVersion(FrameCodec.VERSION + 1);
        Mono<Mesh> one = new TcpTransport(newer).connect(world.config(1, 3));
        assertThat(failures(join(0, 3), one, join(2, 3)))
                .singleElement()
                .asString()
                .contains("version differs", "rank=1 has version=" + (FrameCodec.VERSION + 1));
    }

    @Test
    void tokenDiffers_isToldAtOnce_andDisturbsNobody() {
        CompletableFuture<Mesh> zero = join(0, 2).toFuture();
        expect(
                world.join(1, 2, c -> c.withToken("wrong").withRendezvousTimeout(LONG)),
                "token differs",
                "rank=1",
                "RCOMM_TOKEN");
        expect(world.join(1, 2, c -> c.withToken("").withRendezvousTimeout(LONG)), "token differs", "token=none");
        assertThat(join(1, 2).block(MeshWorld.PATIENCE)).isNotNull();
        assertThat(zero.join().worldSize()).isEqualTo(2);
        assertThat(world.store.strangers()).isEqualTo(2);
    }

    @Test
    void tokenDiffers_whoWaitsHearsTheCause() {
        expect(world.join(1, 2, c -> c.withToken("wrong")), "token differs");
        expect(world.join(1, 2, c -> c.withToken("")), "token differs");
        try (Passenger zero = new Passenger(0, 2, 1)) {
            assertThat(failure(zero.roster)).contains("missing=[1]", "2 connections were refused: wrong token");
        }
    }

    @Test
    void tokenDiffers_messagesHideIt() {
        expect(
                world.join(1, 2, c -> c.withToken("hush")).onErrorMap(e -> {
                    assertThat(e.getMessage()).doesNotContain("hush").doesNotContain(MeshWorld.TOKEN);
                    return e;
                }),
                "token differs");
    }

    @Test
    void ranksMissing_allHearWhich() {
        try (Passenger two = new Passenger(2, 4);
                Passenger zero = new Passenger(0, 4, 1)) {
            assertThat(failure(zero.roster))
                    .contains("missing=[1, 3]", "worldSize=4", "RCOMM_RENDEZVOUS_TIMEOUT_SECONDS");
            assertThat(failure(two.roster)).isEqualTo(failure(zero.roster));
        }
    }

    /** A rank that joins where nobody listens for its peers, and goes with {@link #close}. */
    private final class Passenger implements AutoCloseable {

        private final NettyLoop loop = NettyLoop.start("passenger", Sockets.best());
        private final CompletableFuture<Roster> roster;
        private final StoreClient store;

        Passenger(int rank, int worldSize) {
            this(rank, worldSize, MeshWorld.PATIENCE.toMillis());
        }

        /** @param patienceMillis how long it waits for the other ranks once it has joined */
        Passenger(int rank, int worldSize, long patienceMillis) {
            CommConfig config = world.config(rank, worldSize);
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", world.store.port());
            store = StoreSearch.find(loop, address, config, world.options).block(MeshWorld.PATIENCE);
            Roster.Entry entry = new Roster.Entry(rank, worldSize, "127.0.0.1", 1, 1, patienceMillis);
            roster = store.join(new JoinRequest(entry, config.agreed()), MeshWorld.PATIENCE)
                    .toFuture();
            // Answered behind it: it has joined.
            store.add("passengers", 1).block(MeshWorld.PATIENCE);
        }

        @Override
        public void close() {
            loop.stop();
        }
    }

    @Test
    void aRankThatWent_beforeAllCame_isNamedToThoseWhoWait() {
        CompletableFuture<Mesh> zero = join(0, 3).toFuture();
        new Passenger(1, 3).close();
        assertThat(failure(zero)).contains("rank 1 joined from 127.0.0.1:", "and went", "worldSize=3");
    }

    @Test
    void aRankThatWent_whileTheRanksConnect_isNamedToThoseWhoWaitForIt() throws Exception {
        CompletableFuture<Mesh> zero = join(0, 3).toFuture();
        CompletableFuture<Mesh> one = join(1, 3).toFuture();
        try (Passenger two = new Passenger(2, 3)) {
            two.roster.get(20, TimeUnit.SECONDS);
        }
        for (CompletableFuture<Mesh> rank : List.of(zero, one)) {
            assertThat(failure(rank))
                    .contains("rank 2 joined from 127.0.0.1:", "and went", "while the ranks connected");
        }
    }

    @Test
    void theStoreThatGoes_isNoticedAtOnceByThoseWhoWait() {
        try (Passenger one = new Passenger(1, 3)) {
            world.store.close();
            assertThat(one.roster
                            .handle((_, problem) -> problem)
                            .orTimeout(20, TimeUnit.SECONDS)
                            .join())
                    .isInstanceOf(RendezvousException.class)
                    .hasMessageContainingAll("the store has gone", "rank=1", "rank 0 or the launcher");
        }
    }

    @Test
    void storeNeverThere_saysWhereItTried() throws Exception {
        int port = UnusedPort.take();
        CommConfig config = CommConfig.of(1, 2, "127.0.0.1", port);
        RisingDeadline.untilInTime(deadline -> {
            String said = failure(new TcpTransport()
                    .connect(config.withRendezvousTimeout(deadline))
                    .toFuture());
            assertThat(said).contains("cannot reach the store", "127.0.0.1:" + port, "rank=1", "attempts=");
            return said.contains("refused");
        });
    }

    /** A second world in one process, as if a library connected on its own. */
    @Test
    void portTaken_byAStoreOfThisProcess_isNoReasonForAnotherPort() {
        try (StoreServer first =
                StoreServer.start("127.0.0.1", 0, null, Encryption.OFF).block(MeshWorld.PATIENCE)) {
            StepVerifier.create(new TcpTransport().connect(CommConfig.of(0, 1, "127.0.0.1", first.port())))
                    .expectErrorSatisfies(e -> assertThat(e)
                            .hasMessageContaining("this process has connected already")
                            .hasMessageContaining("newGroup")
                            .hasMessageNotContaining("MASTER_PORT"))
                    .verify(MeshWorld.PATIENCE);
        }
    }

    @Test
    void portTaken_namesItsHolder() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommConfig config =
                    CommConfig.of(0, 1, "127.0.0.1", taken.getLocalPort()).withRendezvousTimeout(LONG);
            expect(
                    new TcpTransport().connect(config),
                    "127.0.0.1:" + taken.getLocalPort(),
                    "in use",
                    "heldBy=pid " + ProcessHandle.current().pid());
        }
        assertThat(MeshWorld.threads("rcomm-loop-0")).isEmpty();
    }

    @Test
    void addressOfAnotherMachine_isToldFromAPortTaken() {
        CommConfig config =
                CommConfig.of(0, 1, "203.0.113.1", 29_500).withToken("secret").withPlaintext(true);
        expect(new TcpTransport().connect(config), "203.0.113.1:29500", "set MASTER_ADDR");
    }

    @Test
    void hostUnknown_isNamed() {
        CommConfig config =
                CommConfig.of(0, 1, "no-such-host.invalid", 29_500).withRendezvousTimeout(Duration.ofMillis(300));
        expect(new TcpTransport().connect(config), "MASTER_ADDR=no-such-host.invalid", "rank=0");
    }

    @Test
    void anotherProgramOnThePort_isSaidToBeNone() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture.runAsync(() -> {
                try (var client = other.accept()) {
                    client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes());
                    client.getInputStream().readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            CommConfig config = CommConfig.of(1, 2, "127.0.0.1", other.getLocalPort());
            expect(new TcpTransport().connect(config.withRendezvousTimeout(LONG)), "not Reactive Comm", "MASTER_PORT");
        }
    }
}

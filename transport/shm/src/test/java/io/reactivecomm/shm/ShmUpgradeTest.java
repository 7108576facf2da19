package io.reactivecomm.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.LinkTransport;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.testkit.ConnectedWorlds;
import io.reactivecomm.testkit.LeakCheck;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** The upgrade of a host's ranks to shared memory, and what is left of it when they do not agree. */
class ShmUpgradeTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final long SLACK_BYTES = 256L << 20;
    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    private final LinkTransport tcp =
            ServiceLoader.load(LinkTransport.class).findFirst().orElseThrow();
    private final List<Mesh> opened = new ArrayList<>();
    private HostedStore store;
    private List<String> before;

    @BeforeEach
    void start() throws IOException {
        before = mappings();
        store = ConnectedWorlds.store();
    }

    @AfterEach
    void close() throws IOException {
        opened.forEach(Mesh::close);
        store.close();
        assertThat(before).as("shared memory after the end").containsAll(mappings());
    }

    private static List<String> mappings() throws IOException {
        try (Stream<String> lines = Files.lines(MAPPINGS)) {
            return lines.filter(line -> line.contains("reactive-comm") && line.contains("memfd"))
                    .toList();
        }
    }

    private List<Mesh> plain(int size, IntFunction<String> hosts) {
        List<Mesh> meshes = Flux.range(0, size)
                .flatMap(rank -> tcp.connect(config(rank, size).withHostId(hosts.apply(rank))), size)
                .collectSortedList((one, other) -> Integer.compare(one.rank(), other.rank()))
                .block(LIMIT);
        opened.addAll(meshes);
        return meshes;
    }

    private CommConfig config(int rank, int size) {
        return ConnectedWorlds.config(store, ShmWorlds.TRANSPORT, rank, size)
                .withRendezvousTimeout(Duration.ofSeconds(20));
    }

    private List<Mesh> upgraded(List<Mesh> plain, Function<Mesh, ShmSetup> setups) {
        List<Mesh> better = Flux.fromIterable(plain)
                .flatMap(mesh -> new ShmUpgrade(setups).upgrade(mesh, config(mesh.rank(), plain.size())), plain.size())
                .collectSortedList((one, other) -> Integer.compare(one.rank(), other.rank()))
                .block(LIMIT);
        opened.addAll(0, better);
        return better;
    }

    private static List<Integer> shared(Mesh mesh) {
        return IntStream.range(0, mesh.worldSize())
                .filter(peer -> peer != mesh.rank() && mesh.link(peer) instanceof ShmLink)
                .boxed()
                .toList();
    }

    /** More than any system maps. */
    private static ShmSetup without(Mesh mesh) {
        return ShmSetup.open(mesh, 1L << 62);
    }

    @Test
    void ranksOfTwoHosts_shareMemoryWithinEach() {
        List<Mesh> better = upgraded(plain(5, rank -> rank % 2 == 0 ? "one" : "two"), ShmSetup::open);
        assertThat(better.stream().map(ShmUpgradeTest::shared))
                .containsExactly(List.of(2, 4), List.of(3), List.of(0, 4), List.of(1), List.of(0, 2));
    }

    @Test
    void rankAloneOnItsHost_keepsItsLinksAndItsMesh() {
        List<Mesh> plain = plain(3, rank -> rank == 1 ? "one" : "two");
        List<Mesh> better = upgraded(plain, ShmSetup::open);
        assertThat(better.get(1)).isSameAs(plain.get(1));
        assertThat(shared(better.get(0))).containsExactly(2);
    }

    @Test
    void rankWhoseSystemRefusesMemory_saysSoOnce_andTalksOverSockets_othersShareAllTheSame() {
        Logger logger = (Logger) LoggerFactory.getLogger(ShmSetup.class);
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        said.start();
        logger.addAppender(said);
        try {
            List<Mesh> better =
                    upgraded(plain(3, rank -> "one"), mesh -> mesh.rank() == 1 ? without(mesh) : ShmSetup.open(mesh));
            assertThat(better.stream().map(ShmUpgradeTest::shared)).containsExactly(List.of(2), List.of(), List.of(0));
        } finally {
            logger.detachAppender(said);
        }
        assertThat(said.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage())
                        .startsWith("no shared memory, ranks of this host talk over sockets: rank=1"));
    }

    @Test
    void memory_isReservedForTheRanksOfTheHost_howeverLargeTheWorldIs() throws Exception {
        Map<Integer, Integer> files = new ConcurrentHashMap<>();
        upgraded(plain(5, rank -> rank % 2 == 0 ? "one" : "two"), mesh -> {
            ShmSetup setup = ShmSetup.open(mesh);
            files.put(mesh.rank(), setup.offer().descriptor());
            return setup;
        });
        for (int rank = 0; rank < 5; rank++) {
            int others = rank % 2 == 0 ? 2 : 1;
            assertThat(reserved(files.get(rank)))
                    .as("bytes of rank %d", rank)
                    .isEqualTo(4096 + others * (4096 + (128L << 10)));
        }
    }

    /** {@return the bytes of memory behind one of this process's files} */
    private static long reserved(int descriptor) throws Exception {
        Path path = Path.of("/proc", Long.toString(ProcessHandle.current().pid()), "fd", Integer.toString(descriptor));
        Process stat = new ProcessBuilder("stat", "-L", "-c", "%b", path.toString())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader said = stat.inputReader()) {
            return Long.parseLong(said.readLine()) * 512;
        }
    }

    @Test
    void fileWithAnotherNonce_isNotMapped() throws Exception {
        List<Mesh> plain = plain(2, rank -> "one");
        ShmSetup setup = ShmSetup.open(plain.get(0));
        ShmSetup other = ShmSetup.open(plain.get(1));
        try (SharedFile tiny = SharedFile.create(8)) {
            ShmOffer sound = other.offer();
            long pid = sound.pid();
            setup.map(1, new ShmOffer("one", pid, sound.descriptor(), sound.bytes(), "0".repeat(32)));
            setup.map(1, new ShmOffer("one", pid, sound.descriptor(), sound.bytes() - 4096, sound.nonce()));
            setup.map(1, new ShmOffer("one", pid, tiny.descriptor(), 8, sound.nonce()));
            setup.map(1, new ShmOffer("another", pid, sound.descriptor(), sound.bytes(), sound.nonce()));
            assertThat(setup.mapped()).isEmpty();
            setup.map(1, sound);
            assertThat(setup.mapped()).containsExactly(1);
            setup.forget(1);
            setup.forget(1);
            assertThat(setup.mapped()).isEmpty();
        } finally {
            setup.abandon();
            other.abandon();
            setup.abandon();
        }
        setup.map(1, ShmOffer.none("one"));
        assertThatThrownBy(setup::finish).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "2",
                "1\n1\n2\n3\nn\nh",
                "2\n2\n3\n4\nnonce",
                "x\n1\n2\n3\nn\nh",
                "2\nx\n2\n3\nn\nh",
                "2\n1\n99999999999\n3\nn\nh"
            })
    void offer_thatIsNone_isRefused(String rubbish) {
        assertThatThrownBy(() -> ShmOffer.decode(rubbish.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(ProtocolException.class);
    }

    @Test
    void offer_anyHost_comesBack() {
        ShmOffer offer = new ShmOffer("a\nhost\n", 1, 2, Long.MAX_VALUE, "nonce");
        assertThat(ShmOffer.decode(offer.encode())).isEqualTo(offer);
        assertThat(ShmOffer.decode(ShmOffer.none("").encode())).isEqualTo(ShmOffer.none(""));
    }

    @Test
    void peerThatSaysRubbish_isAnErrorForTheOthers_andFreesAll() throws Exception {
        List<Mesh> plain = plain(2, rank -> "one");
        plain.get(1)
                .rendezvous()
                .prefixed("shm")
                .set("offer/1", new byte[] {1, 2, 3})
                .block(LIMIT);
        assertThatThrownBy(() ->
                        new ShmUpgrade().upgrade(plain.get(0), config(0, 2)).block(LIMIT))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("cannot agree on shared memory: rank=0");
        requireClosed(plain.get(0));
    }

    @Test
    void setupThatFails_closesTheMesh() throws Exception {
        Mesh mesh = plain(2, rank -> "one").getFirst();
        ShmUpgrade failing = new ShmUpgrade(each -> {
            throw new IllegalStateException("no memory");
        });
        assertThatThrownBy(() -> failing.upgrade(mesh, config(0, 2)).block(LIMIT))
                .hasMessage("no memory");
        requireClosed(mesh);
    }

    @Test
    void cancel_whileOthersAreWaitedFor_freesAll() throws Exception {
        LeakCheck leaks = LeakCheck.begin();
        Mesh mesh = plain(2, rank -> "one").getFirst();
        CountDownLatch open = new CountDownLatch(1);
        ShmUpgrade upgrade = new ShmUpgrade(each -> {
            ShmSetup setup = ShmSetup.open(each);
            open.countDown();
            return setup;
        });
        Disposable begun = upgrade.upgrade(mesh, config(0, 2)).subscribe();
        assertThat(open.await(20, TimeUnit.SECONDS)).isTrue();
        begun.dispose();
        requireClosed(mesh);
        opened.forEach(Mesh::close);
        leaks.end(SLACK_BYTES);
    }

    @Test
    void cancel_whileItsMemoryIsMade_freesAll() throws Exception {
        Mesh mesh = plain(2, rank -> "one").getFirst();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<ShmSetup> made = new CompletableFuture<>();
        ShmUpgrade upgrade = new ShmUpgrade(each -> {
            entered.countDown();
            awaitUninterrupted(goOn);
            ShmSetup setup = ShmSetup.open(each);
            made.complete(setup);
            return setup;
        });
        Disposable begun = upgrade.upgrade(mesh, config(0, 2)).subscribe();
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        begun.dispose();
        goOn.countDown();
        made.get(20, TimeUnit.SECONDS);
        requireClosed(mesh);
        assertThat(isAllGivenUp()).as("memory that was made too late is gone").isTrue();
    }

    @Test
    void cancel_byWhoHasTheValue_leavesItOpen() {
        List<Mesh> taken = Flux.fromIterable(plain(2, rank -> "one"))
                .flatMap(mesh -> new ShmUpgrade()
                        .upgrade(mesh, config(mesh.rank(), 2))
                        .flux()
                        .take(1))
                .doOnNext(opened::add)
                .collectList()
                .block(LIMIT);
        assertThat(taken).hasSize(2).noneMatch(ShmUpgradeTest::isClosed);
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        boolean open = false;
        while (!open) {
            try {
                open = latch.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                // Who cancels interrupts, and this goes on all the same.
                open = false;
            }
        }
    }

    private boolean isAllGivenUp() throws IOException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!before.containsAll(mappings())) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            Thread.yield();
        }
        return true;
    }

    private static boolean isClosed(Mesh mesh) {
        return !mesh.loop().thread().isAlive();
    }

    private static void requireClosed(Mesh mesh) throws InterruptedException {
        mesh.loop().thread().join(20_000);
        assertThat(isClosed(mesh)).as("the mesh is closed").isTrue();
    }
}

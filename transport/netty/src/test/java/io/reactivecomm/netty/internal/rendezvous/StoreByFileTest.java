package io.reactivecomm.netty.internal.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.MeshWorld;
import io.reactivecomm.netty.TcpTransport;
import io.reactivecomm.netty.UnusedPort;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.testkit.RisingDeadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** Worlds that meet through a file. */
@Timeout(60)
class StoreByFileTest {

    @TempDir
    Path temporary;

    private final List<Mesh> meshes = new ArrayList<>();

    @AfterEach
    void end() {
        meshes.forEach(Mesh::close);
    }

    private Path path() {
        try {
            return temporary.toRealPath().resolve("my job");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private CommConfig config(int rank, int worldSize) {
        return CommConfig.of(path().toUri().toString(), rank, worldSize).withRendezvousTimeout(MeshWorld.PATIENCE);
    }

    private static CompletableFuture<Mesh> join(CommConfig config) {
        return new TcpTransport().connect(config).toFuture();
    }

    private Mesh await(CompletableFuture<Mesh> attempt) throws Exception {
        Mesh mesh = attempt.get(20, TimeUnit.SECONDS);
        meshes.add(mesh);
        return mesh;
    }

    /** {@return what rank 0 has published, once it has} */
    private PublishedAddress published() {
        AddressFile file = new AddressFile(path());
        return Mono.defer(() -> Mono.justOrEmpty(file.read()))
                .repeatWhenEmpty(again -> again.delayElements(Duration.ofMillis(5)))
                .block(MeshWorld.PATIENCE);
    }

    private void expectNoFiles() throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            assertThat(files).isEmpty();
        }
    }

    private static void expectError(CommConfig config, String... parts) {
        StepVerifier.create(new TcpTransport().connect(config))
                .expectErrorSatisfies(e ->
                        assertThat(e).isInstanceOf(RendezvousException.class).hasMessageContainingAll(parts))
                .verify(MeshWorld.PATIENCE);
    }

    @Test
    void ranks_inAnyOrder_meet_andTheFileIsGone() throws Exception {
        CompletableFuture<Mesh> two = join(config(2, 3));
        CompletableFuture<Mesh> one = join(config(1, 3));
        CompletableFuture<Mesh> zero = join(config(0, 3));
        for (CompletableFuture<Mesh> attempt : List.of(zero, one, two)) {
            assertThat(await(attempt).worldSize()).isEqualTo(3);
        }
        expectNoFiles();
        assertThat(meshes.get(1).rendezvous().add("n", 1).block(MeshWorld.PATIENCE))
                .isEqualTo(1);
    }

    @Test
    void nextRun_takesTheSameName() throws Exception {
        for (int round = 0; round < 3; round++) {
            CompletableFuture<Mesh> zero = join(config(0, 2));
            CompletableFuture<Mesh> one = join(config(1, 2));
            await(zero);
            await(one).close();
        }
        expectNoFiles();
    }

    @Test
    void worldOfOne_needsNobody() throws Exception {
        assertThat(await(join(config(0, 1))).worldSize()).isEqualTo(1);
        expectNoFiles();
    }

    @Test
    void tokenInTheFile_isNeededToEnter() throws Exception {
        CompletableFuture<Mesh> zero = join(config(0, 2));
        PublishedAddress address = published();
        assertThat(address.token()).hasSize(64);
        expectError(
                CommConfig.of(1, 2, address.host(), address.port())
                        .withTokenFile(false)
                        .withRendezvousTimeout(MeshWorld.PATIENCE),
                "token differs");
        assertThat(await(join(config(1, 2))).rank()).isEqualTo(1);
        await(zero);
    }

    @Test
    void tokenOfTheUser_isNotWritten() throws Exception {
        CompletableFuture<Mesh> zero = join(config(0, 2).withToken("mine"));
        PublishedAddress address = published();
        assertThat(address.token()).isNull();
        expectError(config(1, 2), "token differs");
        await(join(config(1, 2).withToken("mine")));
        await(zero);
    }

    @Test
    void secondRankZero_isTold_andTheFirstIsNotDisturbed() throws Exception {
        CompletableFuture<Mesh> zero = join(config(0, 2));
        published();
        expectError(config(0, 2), "is there already", "remove it", "choose another name");
        await(join(config(1, 2)));
        await(zero);
    }

    @Test
    void noRankZero_isToldAtTheDeadline() throws Exception {
        expectError(
                config(1, 2).withRendezvousTimeout(Duration.ofMillis(300)),
                "no address appeared in the rendezvous file",
                "file=" + path(),
                "rank=1",
                "waited=");
        expectNoFiles();
    }

    @Test
    void leftoverOfAnotherMachine_isSuspectedAtTheDeadline() throws Exception {
        AddressFile earlier = new AddressFile(path());
        earlier.claim();
        earlier.publish(
                new PublishedAddress("127.0.0.1", UnusedPort.take(), "old", "another machine", "", 1, Instant.EPOCH));
        expectError(
                config(1, 2).withRendezvousTimeout(Duration.ofMillis(300)),
                "cannot reach the store",
                "leftover of an earlier run",
                "file=" + path());
        earlier.remove();
    }

    @Test
    void rankMissing_leavesNoFile() throws Exception {
        RisingDeadline.untilInTime(deadline -> {
            Throwable error = join(config(0, 2).withRendezvousTimeout(deadline))
                    .handle((joined, problem) -> problem)
                    .join();
            assertThat(error)
                    .isInstanceOf(RendezvousException.class)
                    .message()
                    .containsAnyOf("missing=[1]", "cause=no answer");
            return error.getMessage().contains("missing=[1]");
        });
        expectNoFiles();
    }

    @Test
    void cancel_leavesNoFile() throws Exception {
        for (int round = 0; round < 30; round++) {
            CompletableFuture<Mesh> zero = join(config(0, 2));
            if (round % 2 == 0) {
                published();
            }
            zero.cancel(false);
        }
        // Whoever was interrupted in the middle has finished once the name can be had again.
        Mono.defer(() -> new TcpTransport().connect(config(0, 1)))
                .retryWhen(Retry.fixedDelay(100, Duration.ofMillis(20)))
                .doOnNext(Mesh::close)
                .block(MeshWorld.PATIENCE);
        expectNoFiles();
        assertThat(MeshWorld.threads("rcomm-store")).isEmpty();
    }

    @Test
    void listener_ofAllAddresses_isRefused() throws Exception {
        expectError(config(0, 2).withListener("0.0.0.0", 0), "cannot publish where it listens", "host=0.0.0.0");
        expectError(config(0, 2).withListener("203.0.113.1", 0).withToken("short"), "203.0.113.1", "too short for TLS");
        expectNoFiles();
    }

    @Test
    void portOfTheUser_isTaken() throws Exception {
        int port = UnusedPort.take();
        CompletableFuture<Mesh> zero = join(config(0, 2).withListener("127.0.0.1", port));
        PublishedAddress address = published();
        assertThat(address.port()).isEqualTo(port);
        await(join(config(1, 2)));
        await(zero);
    }
}

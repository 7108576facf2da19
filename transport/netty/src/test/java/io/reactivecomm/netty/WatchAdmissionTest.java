package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.UserDirectories;
import io.reactivecomm.spi.BoardAccess;
import io.reactivecomm.spi.BoardPage;
import io.reactivecomm.spi.BoardReader;
import io.reactivecomm.spi.rendezvous.HostedStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.test.StepVerifier;

/** The admission of watchers, and the finding of jobs. */
@Timeout(60)
class WatchAdmissionTest {

    private static final Duration SOON = MeshWorld.PATIENCE;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static CommConfig place(int port) {
        return CommConfig.of(0, 1, "127.0.0.1", port);
    }

    private static void expectError(BoardAccess access, CommConfig place, String... parts) {
        StepVerifier.create(access.open(place))
                .expectErrorSatisfies(e ->
                        assertThat(e).isInstanceOf(RendezvousException.class).hasMessageContainingAll(parts))
                .verify(SOON);
    }

    @Test
    void token_thatDiffers_isATypedError_andNoHarmToTheJob() {
        try (MeshWorld world = new MeshWorld(TransportOptions.DEFAULT)) {
            int port = world.store.port();
            NettyBoardAccess access = new NettyBoardAccess();
            expectError(
                    access,
                    place(port).withToken("wrong"),
                    "not admitted to watch",
                    "token differs",
                    "127.0.0.1:" + port,
                    "token=set",
                    "RCOMM_TOKEN");
            expectError(access, place(port).withTokenFile(false), "not admitted to watch", "token=none");
            try (BoardReader reader = Objects.requireNonNull(
                    access.open(place(port).withToken(MeshWorld.TOKEN)).block(SOON))) {
                assertThat(reader.look(0, SECOND).block(SOON)).isEqualTo(new BoardPage(0, List.of(), BoardPage.LAST));
            }
        }
    }

    /** Of a rank the same fails the roll call for all. */
    @Test
    void watcher_ofAnotherRelease_isRefused_andTheRanksMeetAllTheSame() {
        TransportOptions options = TransportOptions.DEFAULT;
        try (MeshWorld world = new MeshWorld(options)) {
            var first = world.join(0, 2).toFuture();
            NettyBoardAccess other = new NettyBoardAccess(options.withVersion(options.version() + 1));
            expectError(
                    other, place(world.store.port()).withToken(MeshWorld.TOKEN), "version differs", "its own release");
            world.join(1, 2).block(SOON);
            assertThat(first.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS)
                            .join()
                            .worldSize())
                    .isEqualTo(2);
        }
    }

    @Test
    void store_thatIsNotThere_isATypedError_atOnce() throws IOException {
        int port = UnusedPort.take();
        expectError(
                new NettyBoardAccess(),
                place(port).withToken("x"),
                "cannot reach the job's store",
                "127.0.0.1:" + port,
                "check that the job runs");
    }

    @Test
    void address_beyondLoopback_needsWhatARankNeeds() {
        expectError(new NettyBoardAccess(), CommConfig.of(0, 1, "192.0.2.1", 29500), "without a token");
        expectError(
                new NettyBoardAccess(), CommConfig.of(0, 1, "192.0.2.1", 29500).withToken("x"), "too short for TLS");
    }

    @Test
    void job_thatALauncherStarted_isFoundByItsUser_untilItEnds(@TempDir Path temporary) throws IOException {
        Assumptions.assumeTrue(UserDirectories.areSafeHere());
        Path root = temporary.toRealPath();
        TransportOptions options =
                TransportOptions.DEFAULT.withDirectories(new UserDirectories(root.resolve("run"), root));
        NettyBoardAccess access = new NettyBoardAccess(options);
        assertThat(access.jobsHere()).isEmpty();
        try (HostedStore job = Objects.requireNonNull(new NettyStoreHost(options)
                .start("127.0.0.1", 0, "secret", Encryption.BETWEEN_HOSTS)
                .block(SOON))) {
            awaitJobs(access, 1);
            StoreAddress found = access.jobsHere().getFirst();
            assertThat(found.port()).isEqualTo(job.port());
            try (BoardReader reader =
                    Objects.requireNonNull(access.open(place(found.port())).block(SOON))) {
                assertThat(reader.look(0, SECOND).block(SOON)).isNotNull();
            }
            try (HostedStore second = Objects.requireNonNull(new NettyStoreHost(options)
                    .start("127.0.0.1", 0, "other", Encryption.BETWEEN_HOSTS)
                    .block(SOON))) {
                awaitJobs(access, 2);
                assertThat(access.jobsHere())
                        .extracting(StoreAddress::port)
                        .containsExactlyInAnyOrder(job.port(), second.port());
            }
        }
        assertThat(access.jobsHere()).isEmpty();
    }

    /** By Ctrl-C just after the job was started: the JVM takes no further hooks. */
    @Test
    void store_ofAProcessThatIsEnding_isClosedAgain() throws IOException {
        int port = UnusedPort.take();
        NettyStoreHost host = new NettyStoreHost(TransportOptions.DEFAULT, hook -> {
            throw new IllegalStateException("Shutdown in progress");
        });
        StepVerifier.create(host.start("127.0.0.1", port, "secret", Encryption.BETWEEN_HOSTS))
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(RendezvousException.class)
                        .hasMessageContaining("while the process ends"))
                .verify(SOON);
        long until = System.nanoTime() + SOON.toNanos();
        while (isTaken(port)) {
            assertThat(System.nanoTime()).as("the port is free again").isLessThan(until);
        }
    }

    private static boolean isTaken(int port) {
        try (Socket tried = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return tried.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static void awaitJobs(NettyBoardAccess access, int count) {
        long until = System.nanoTime() + SOON.toNanos();
        while (access.jobsHere().size() < count) {
            assertThat(System.nanoTime()).isLessThan(until);
            Thread.onSpinWait();
        }
    }
}

package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.UserDirectories;
import io.reactivecomm.netty.internal.rendezvous.TokenFile;
import io.reactivecomm.spi.link.Mesh;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.test.StepVerifier;

/** Worlds on loopback whose ranks were given no token: processes of one user find one, others do not enter. */
@Timeout(60)
class StoreByTokenFileTest {

    @TempDir
    Path temporary;

    private final List<Mesh> meshes = new ArrayList<>();
    private UserDirectories directories;
    private int port;

    @BeforeEach
    void begin() throws IOException {
        Path root = temporary.toRealPath();
        directories = new UserDirectories(root.resolve("run"), root);
        port = UnusedPort.take();
    }

    @AfterEach
    void end() {
        meshes.forEach(Mesh::close);
    }

    private CommConfig config(int rank, int worldSize) {
        return CommConfig.of(rank, worldSize, "127.0.0.1", port).withRendezvousTimeout(MeshWorld.PATIENCE);
    }

    private static TcpTransport transport(UserDirectories directories) {
        return new TcpTransport(TransportOptions.DEFAULT.withDirectories(directories));
    }

    private CompletableFuture<Mesh> join(CommConfig config) {
        return transport(directories).connect(config).toFuture();
    }

    private Mesh await(CompletableFuture<Mesh> attempt) throws Exception {
        Mesh mesh = attempt.get(20, TimeUnit.SECONDS);
        meshes.add(mesh);
        return mesh;
    }

    private static void expectError(TcpTransport transport, CommConfig config, String... parts) {
        StepVerifier.create(transport.connect(config))
                .expectErrorSatisfies(e ->
                        assertThat(e).isInstanceOf(RendezvousException.class).hasMessageContainingAll(parts))
                .verify(MeshWorld.PATIENCE);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(temporary)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    private static TokenFile tokenFile(int port, UserDirectories directories) {
        return new TokenFile(new InetSocketAddress("127.0.0.1", port), directories);
    }

    @Test
    void ranksOfOneUser_inAnyOrder_meet_andNothingIsLeft() throws Exception {
        CompletableFuture<Mesh> two = join(config(2, 3));
        CompletableFuture<Mesh> one = join(config(1, 3));
        CompletableFuture<Mesh> zero = join(config(0, 3));
        for (CompletableFuture<Mesh> attempt : List.of(zero, one, two)) {
            assertThat(await(attempt).worldSize()).isEqualTo(3);
        }
        expectError(transport(directories), config(1, 3), "claimed twice");
        assertThat(files()).hasSize(1);
        meshes.forEach(Mesh::close);
        assertThat(files()).isEmpty();
    }

    @Test
    void whoHasNoToken_doesNotEnter() throws Exception {
        CompletableFuture<Mesh> zero = join(config(0, 2));
        CommConfig stranger = config(1, 2).withTokenFile(false);
        expectError(transport(directories), stranger, "token differs", "token=none");
        await(join(config(1, 2)));
        await(zero);
    }

    @ParameterizedTest
    @EnumSource(
            value = Encryption.class,
            names = {"BETWEEN_HOSTS", "EVERYWHERE"})
    void ranksWithoutACommonDirectory_areToldOfTheSettings_atOnce(Encryption encryption) throws Exception {
        CompletableFuture<Mesh> zero = join(config(0, 2).withEncryption(encryption));
        Path elsewhere = Files.createDirectory(temporary.toRealPath().resolve("elsewhere"));
        UserDirectories other = new UserDirectories(elsewhere.resolve("run"), elsewhere);
        StepVerifier.create(transport(other)
                        .connect(config(1, 2).withEncryption(encryption).withRendezvousTimeout(Duration.ofMinutes(10))))
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(RendezvousException.class)
                        .hasMessageContainingAll("rank=1", "127.0.0.1:" + port, "found=no", "RCOMM_TOKEN_FILE=0"))
                .verify(MeshWorld.PATIENCE);
        await(join(config(1, 2)));
        await(zero);
    }

    @Test
    void turnedOff_admitsEveryLocalProcess_andMakesNoFile() throws Exception {
        CompletableFuture<Mesh> zero = join(config(0, 2).withTokenFile(false));
        await(join(config(1, 2).withTokenFile(false)));
        await(zero);
        assertThat(files()).isEmpty();
    }

    @Test
    void tokenThatIsGiven_makesNoFile() throws Exception {
        CompletableFuture<Mesh> zero = join(config(0, 2).withToken("mine"));
        await(join(config(1, 2).withToken("mine")));
        await(zero);
        assertThat(files()).isEmpty();
    }

    @Test
    void tokenOfAStoreThatMayStillRun_isTriedAndThenReplaced() throws Exception {
        // A process that cannot be told to have ended: this one.
        tokenFile(port, directories).publish("of an earlier job");
        CompletableFuture<Mesh> one = join(config(1, 2));
        CompletableFuture<Mesh> zero = join(config(0, 2));
        await(one);
        await(zero);
        assertThat(files()).hasSize(1);
    }

    @Test
    void fileThatCannotBeMade_isAnErrorOnRankZero_andItsPortIsFree() throws Exception {
        Files.createFile(directories.all().getFirst());
        for (int round = 0; round < 2; round++) {
            expectError(transport(directories), config(0, 2), "cannot share the store's token", "RCOMM_TOKEN_FILE=0");
        }
        await(join(config(0, 1).withTokenFile(false)));
    }

    @Test
    void worldOfOne_makesNoFile_andAdmitsNobody() throws Exception {
        await(join(config(0, 1)));
        assertThat(files()).isEmpty();
        expectError(transport(directories), config(0, 2).withStoreHosted(true).withTokenFile(false), "token differs");
        expectError(transport(directories), config(1, 2), "found=no", "WORLD_SIZE");
    }

    @Test
    void settingsOfTheFile_thatDiffer_areNamed() throws Exception {
        CompletableFuture<Mesh> zero = join(config(0, 2));
        expectError(
                transport(directories),
                config(1, 2).withTokenFile(false),
                "rank=1",
                "RCOMM_TOKEN_FILE=0;",
                "the same on all ranks");
        await(join(config(1, 2)));
        await(zero).close();
        port = UnusedPort.take();
        zero = join(config(0, 2).withTokenFile(false));
        expectError(transport(directories), config(1, 2), "found=no", "set RCOMM_TOKEN_FILE", "the same on all ranks");
        await(join(config(1, 2).withTokenFile(false)));
        await(zero);
    }
}

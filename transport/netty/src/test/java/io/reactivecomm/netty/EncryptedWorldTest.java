package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.rendezvous.HostedStore;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Worlds whose ranks have a network each, as containers have, and meet through tunnels on loopback. */
@Timeout(60)
class EncryptedWorldTest {

    private static final int SIZE = 2;

    private final MeshWorld world = new MeshWorld(TransportOptions.DEFAULT);

    @AfterEach
    void end() {
        OddEngineProvider.way = OddEngineProvider.Way.WELL;
        world.close();
    }

    private static TransportOptions network(int rank) {
        byte[] network = new byte[16];
        Arrays.fill(network, (byte) (rank + 1));
        return TransportOptions.DEFAULT.withNetwork(network);
    }

    private CommConfig config(int rank, UnaryOperator<CommConfig> change) {
        return change.apply(world.config(rank, SIZE));
    }

    /** {@return what becomes of each rank: its mesh or its error} */
    private List<Object> outcomes(IntFunction<CommConfig> configs) {
        return outcomes(configs, EncryptedWorldTest::network);
    }

    private List<Object> outcomes(IntFunction<CommConfig> configs, IntFunction<TransportOptions> options) {
        return Flux.range(0, SIZE)
                .flatMapSequential(rank -> new TcpTransport(options.apply(rank))
                        .connect(configs.apply(rank))
                        .<Object>map(mesh -> mesh)
                        .onErrorResume(Mono::just))
                .collectList()
                .block(MeshWorld.PATIENCE);
    }

    @Test
    void ranksOfTwoNetworks_areBeyondTheHost() {
        List<Object> meshes = outcomes(rank -> config(rank, config -> config));
        assertThat(meshes).allSatisfy(mesh -> {
            assertThat(mesh).isInstanceOf(Mesh.class);
            assertThat(((Mesh) mesh).leavesHost()).isTrue();
            ((Mesh) mesh).close();
        });
    }

    @Test
    void plaintextThatOneRankPermits_isAnErrorThatNamesIt() {
        List<Object> errors = outcomes(rank -> config(rank, config -> config.withPlaintext(rank == 1)));
        assertThat(errors)
                .allSatisfy(error -> assertThat((Throwable) error)
                        .isInstanceOf(RendezvousException.class)
                        .hasMessageContainingAll("RCOMM_PLAINTEXT=1", "with=rank 1", "without=the store"));
    }

    private static HostedStore launchersStore(String token) {
        return new NettyStoreHost().start("127.0.0.1", 0, token, Encryption.OFF).block(MeshWorld.PATIENCE);
    }

    /** With a token that is too short for TLS. */
    @Test
    void plaintextOfAllRanksAndALaunchersStore_isAWorld() {
        try (HostedStore store = launchersStore("t")) {
            List<Object> meshes = outcomes(rank -> config(
                    rank,
                    config -> config.withToken("t")
                            .withListener("127.0.0.1", store.port())
                            .withPlaintext(true)));
            assertThat(meshes).allSatisfy(mesh -> {
                assertThat(mesh).isInstanceOf(Mesh.class);
                ((Mesh) mesh).close();
            });
        }
    }

    /** Rank 0 is on the store's host, where it needs no TLS; only as rank 1 dials it do they differ. */
    @Test
    void plaintextThatOneOfTwoRanksPermits_isAnErrorOfBoth_whereTheStoreIsNoPartyToIt() {
        try (HostedStore store = launchersStore(MeshWorld.TOKEN)) {
            List<Object> errors = outcomes(
                    rank -> config(
                            rank,
                            config -> config.withListener("127.0.0.1", store.port())
                                    .withPlaintext(rank == 1)),
                    rank -> rank == 0 ? TransportOptions.DEFAULT : network(rank));
            assertThat(errors)
                    .allSatisfy(error -> assertThat((Throwable) error)
                            .isInstanceOf(RendezvousException.class)
                            .hasMessageContainingAll("RCOMM_PLAINTEXT=1", "with=rank 1", "without=rank 0"));
        }
    }

    @ParameterizedTest
    @EnumSource(value = Encryption.class, mode = EnumSource.Mode.EXCLUDE, names = "OFF")
    void engine_isRefusedBeyondTheHost_unlessItsPlaintextIsPermitted(Encryption encryption) {
        UnaryOperator<CommConfig> change =
                config -> config.withEncryption(encryption).withBackend("cpu:odd");
        List<Object> meshes = outcomes(rank -> config(rank, change));
        List<Object> groups = Flux.fromIterable(meshes)
                .flatMap(mesh -> Groups.world((Mesh) mesh, config(((Mesh) mesh).rank(), change))
                        .<Object>map(group -> group)
                        .onErrorResume(Mono::just))
                .collectList()
                .block(MeshWorld.PATIENCE);
        assertThat(groups).allSatisfy(group -> {
            if (encryption.permitsPlaintextOfEngines()) {
                assertThat(group).isInstanceOf(ProcessGroup.class);
            } else {
                assertThat((Throwable) group)
                        .isInstanceOf(RendezvousException.class)
                        .hasMessageContainingAll("without encryption", "odd", "RCOMM_PLAINTEXT=engines");
            }
        });
        groups.forEach(group -> {
            if (group instanceof ProcessGroup open) {
                open.close();
            }
        });
    }
}

package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.MeshWorld;
import io.reactivecomm.netty.internal.store.Roster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** Worlds that no rank can hold are refused by their number. */
@Timeout(60)
class WorldLimitsTest {

    private static final WorldLimits ROOMY = new WorldLimits(Long.MAX_VALUE, Long.MAX_VALUE);

    private static CommConfig config(int rank, int worldSize) {
        return CommConfig.of(rank, worldSize, "127.0.0.1", 29500);
    }

    private static void expect(WorldLimits limits, CommConfig config, String... parts) {
        assertThatThrownBy(() -> limits.require(config))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll(parts);
    }

    @ParameterizedTest
    @ValueSource(ints = {70_000, 2_000_000_000, Integer.MAX_VALUE})
    void connect_toAWorldBeyondAllBounds_failsBeforeAnythingIsMade(int worldSize) {
        for (int rank : new int[] {0, 1, worldSize - 1}) {
            StepVerifier.create(ReactiveComm.connect(config(rank, worldSize)))
                    .expectErrorSatisfies(e -> assertThat(e)
                            .isInstanceOf(RendezvousException.class)
                            .hasMessageContainingAll("WORLD_SIZE=" + worldSize, "most=65536"))
                    .verify(MeshWorld.PATIENCE);
        }
    }

    @Test
    void require_goesByOpenFiles_forEachPeerItsConnections() {
        WorldLimits limits = new WorldLimits(1064, Long.MAX_VALUE);
        limits.require(config(1, 501));
        expect(limits, config(1, 502), "WORLD_SIZE=502", "most=501", "open files", "allowed=1064", "ulimit -n");
        // Rank 0 runs the store, and has a connection to each rank more.
        expect(limits, config(0, 501), "most=334", "for each peer=3");
        limits.require(config(0, 501).withStoreHosted(true));
        expect(limits, config(1, 501).withLanes(4), "most=167", "for each peer=6");
    }

    @Test
    void require_goesByTheHeap() {
        expect(new WorldLimits(Long.MAX_VALUE, 4096 * 100), config(1, 102), "most=101", "-Xmx");
        ROOMY.require(config(1, Roster.MAX_WORLD_SIZE));
    }

    @Test
    void ofThisProcess_readsWhatTheSystemSays() {
        WorldLimits limits = WorldLimits.ofThisProcess();
        assertThat(limits.openFiles()).isGreaterThan(64);
        limits.require(config(0, 2));
    }
}

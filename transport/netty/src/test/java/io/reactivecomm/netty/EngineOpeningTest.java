package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.netty.OddEngineProvider.Way;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.testkit.LeakCheck;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An engine that goes wrong on one rank as it is opened, or closed: all ranks hear of it alike, and nothing is left. */
@Timeout(60)
class EngineOpeningTest {

    private static final int SIZE = 3;

    /** For the one that never ends; the others end when they have gone wrong. */
    private static final Duration SHORT = Duration.ofSeconds(1);

    private LeakCheck leaks;

    @BeforeEach
    void begin() {
        leaks = LeakCheck.begin();
    }

    @AfterEach
    void nothingIsLeft() {
        OddEngineProvider.way = Way.WELL;
        OddEngineProvider.atClose = null;
        assertThat(OddEngineProvider.OPEN).as("engines that are open").hasValue(0);
        leaks.end(0);
    }

    private static CommConfig config(Way way, CommConfig usual) {
        OddEngineProvider.way = way;
        return usual.withBackend("cpu:odd").withRendezvousTimeout(way == Way.NEVER_ENDS ? SHORT : MeshWorld.PATIENCE);
    }

    private static LocalWorld local(Way way) {
        return ReactiveComm.local(SIZE, config(way, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT)));
    }

    private static void requireTold(Throwable error, Way way) {
        assertThat(error).isInstanceOf(RendezvousException.class).hasMessageContainingAll(way.said, "; ");
        if (way == Way.HAS_NO_DEVICES) {
            assertThat(error).hasMessageContainingAll("backend=cpu:odd", "rank=");
        } else if (way == Way.LACKS_A_LIBRARY_AFTER_AGREEING) {
            // Reactor throws it at the loop, whose worlds end.
            assertThat(error).hasMessageContainingAll("backend=cpu:odd", "UnsatisfiedLinkError");
        } else {
            assertThat(error).hasMessageContainingAll("engine=odd", "rank=1");
        }
    }

    private static Mono<Throwable> joining(Mono<ProcessGroup> world) {
        return world.<Throwable>map(group -> new AssertionError("joined: " + group))
                .onErrorResume(Mono::just);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WELL")
    void opening_thatGoesWrongOnOneRank_failsALocalWorld(Way way) {
        assertThatThrownBy(() -> local(way).close()).satisfies(error -> requireTold(error, way));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WELL")
    void opening_thatGoesWrongOnOneRank_failsOnAllRanks(Way way) {
        try (MeshWorld world = new MeshWorld(TransportOptions.DEFAULT)) {
            List<Throwable> errors = Flux.fromIterable(world.connect(SIZE))
                    .flatMap(mesh -> joining(Groups.world(mesh, config(way, world.config(mesh.rank(), SIZE)))))
                    .collectList()
                    .block(MeshWorld.PATIENCE);
            assertThat(errors).hasSize(SIZE).allSatisfy(error -> requireTold(error, way));
        }
    }

    @Test
    void opening_thatGoesWell_servesCalls() {
        try (LocalWorld world = local(Way.WELL)) {
            assertThat(OddEngineProvider.OPEN).hasValue(SIZE);
            assertThat(Flux.fromIterable(world.groups())
                            .flatMap(group -> {
                                Tensor tensor = Tensor.of(new float[] {1});
                                return group.allReduce(tensor, ReduceOp.SUM).doFinally(end -> tensor.close());
                            })
                            .collectList()
                            .block(MeshWorld.PATIENCE))
                    .extracting(work -> work.backend())
                    .containsOnly("odd");
        }
    }

    @Test
    void close_thatThrowsWhatIsFatal_leavesTheWorldAllTheSame() {
        OddEngineProvider.atClose = new OutOfMemoryError("on purpose");
        LocalWorld world = local(Way.WELL);
        assertThatThrownBy(world::close).isSameAs(OddEngineProvider.atClose);
    }

    @Test
    void close_thatThrowsAnythingElse_isLeftToTheLog() {
        OddEngineProvider.atClose = new IllegalStateException("on purpose");
        local(Way.WELL).close();
    }
}

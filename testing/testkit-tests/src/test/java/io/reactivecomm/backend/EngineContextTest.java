package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.engine.EngineContext;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** The place in which engines are opened. */
class EngineContextTest {

    private static final List<String> HOSTS = List.of("a", "b", "a", "a", "b");

    private static final CommConfig CONFIG = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);

    private static EngineContext context(ProcessGroup control) {
        return context(control, CONFIG);
    }

    private static EngineContext context(ProcessGroup control, CommConfig config) {
        Loop none = (Loop) Proxy.newProxyInstance(
                Loop.class.getClassLoader(), new Class<?>[] {Loop.class}, (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException("no engine is opened here");
                });
        return new EngineContext(control, config, HOSTS, none);
    }

    @Test
    void localRank_countsTheRanksOfOneMachine() {
        try (LocalWorld world = ReactiveComm.local(HOSTS.size())) {
            List<EngineContext> contexts =
                    world.groups().stream().map(EngineContextTest::context).toList();
            assertThat(contexts).extracting(EngineContext::localRank).containsExactly(0, 0, 1, 2, 1);
            assertThat(contexts).extracting(EngineContext::host).isEqualTo(HOSTS);
        }
    }

    /** A program chooses its device by the group's accessor, and the engine by this. */
    @Test
    void localRank_whereTheLauncherGivesIt_isTheLaunchers() {
        CommConfig launched = CommConfig.fromEnvironment(Map.of("RANK", "0", "WORLD_SIZE", "1", "LOCAL_RANK", "6"));
        try (LocalWorld world = ReactiveComm.local(HOSTS.size(), launched)) {
            assertThat(context(world.groups().getLast(), launched).localRank()).isEqualTo(6);
            assertThat(world.groups())
                    .extracting(ProcessGroup::localRank)
                    .as("ranks of this JVM")
                    .containsExactly(0, 1, 2, 3, 4);
            assertThat(world.groups()).allSatisfy(group -> {
                assertThat(group.localSize()).isEqualTo(HOSTS.size());
                assertThat(group.hostRank()).isZero();
                assertThat(group.hostCount()).isEqualTo(1);
            });
        }
    }

    @Test
    void agree_tellsAllWhatEachSays() {
        try (LocalWorld world = ReactiveComm.local(3)) {
            List<List<Integer>> answers = Flux.fromIterable(world.groups())
                    .flatMapSequential(group -> context(group).agree(10 * group.rank(), Integer.class))
                    .collectList()
                    .block(Duration.ofSeconds(30));
            assertThat(answers).hasSize(3).containsOnly(List.of(0, 10, 20));
        }
    }
}

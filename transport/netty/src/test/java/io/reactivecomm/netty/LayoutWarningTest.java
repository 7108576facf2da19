package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Bits;
import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The warning of an order of ranks that costs bytes between hosts: one for a world, by rank 0. */
class LayoutWarningTest {

    private static final List<Integer> IN_TURN = List.of(0, 1, 0, 1);
    private static final List<Integer> CONSECUTIVE = List.of(0, 0, 1, 1);

    private static <T> List<T> all(Flux<Mono<T>> each) {
        return each.flatMapSequential(one -> one).collectList().block(MeshWorld.PATIENCE);
    }

    /** {@return the warnings of the order, from the forming of a world of ranks on those hosts until some use of it has ended} */
    private static List<String> warnings(
            List<Integer> hosts, UnaryOperator<CommConfig> change, Function<ProcessGroup, Mono<ProcessGroup>> use) {
        int size = hosts.size();
        try (CapturedLog log = CapturedLog.of(Groups.class);
                MeshWorld world = new MeshWorld(TransportOptions.DEFAULT)) {
            List<ProcessGroup> groups = all(Flux.range(0, size).map(rank -> {
                CommConfig config = change.apply(world.config(rank, size)).withHostId("host " + hosts.get(rank));
                return world.join(rank, size, ignored -> config).flatMap(mesh -> Groups.world(mesh, config));
            }));
            all(Flux.fromIterable(groups).map(use));
            groups.forEach(ProcessGroup::close);
            return log.lines().stream()
                    .filter(line -> line.startsWith("ranks of a host do not follow one another"))
                    .toList();
        }
    }

    /** Sub-groups with the same order, and one turned round, add nothing. */
    @Test
    void orderThatCosts_isWarnedOfOnce() {
        assertThat(warnings(
                        IN_TURN,
                        config -> config,
                        group -> group.split(0, group.rank()).flatMap(child -> child.split(0, -child.rank()))))
                .singleElement()
                .asString()
                .contains("1.5 times the bytes", "worldSize=4, hosts=2, ranks by host=[0, 2] [1, 3]");
    }

    /** Of the group's order the program is the author, and not a launcher. */
    @Test
    void subGroupWhoseOrderCosts_isNotWarnedOf() {
        assertThat(warnings(CONSECUTIVE, config -> config, group -> group.split(0, group.rank() % 2)))
                .isEmpty();
    }

    @Test
    void worldThatTakesAnyOrder_isNotWarned() {
        assertThat(warnings(IN_TURN, config -> config.withBits(Bits.ANY_ORDER), Mono::just))
                .isEmpty();
    }
}

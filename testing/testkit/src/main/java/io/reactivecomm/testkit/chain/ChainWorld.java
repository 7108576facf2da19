package io.reactivecomm.testkit.chain;

import io.reactivecomm.Dimension;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.ProcessGroup;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The groups of a world that hooks of plans reduce over. Many plans share one, each with views of its own. */
final class ChainWorld {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int SQUARE = 4;
    private static final String ROW = "row";
    private static final String COLUMN = "column";

    private final Duration deadline;
    private final List<ProcessGroup> world;
    private final List<ProcessGroup> alone;
    private final List<GroupMesh> square;

    /** @param deadline of hooks' calls */
    ChainWorld(List<ProcessGroup> world, Duration deadline) {
        this.deadline = deadline;
        this.world = world;
        this.alone = onAll(world, group -> group.split(group.rank(), 0));
        this.square = world.size() == SQUARE
                ? onAll(world, group -> group.mesh(new Dimension(ROW, 2), new Dimension(COLUMN, 2)))
                : List.of();
    }

    private static <T> List<T> onAll(List<ProcessGroup> world, Function<ProcessGroup, Mono<T>> making) {
        List<Mono<T>> all = world.stream().map(making).toList();
        return Objects.requireNonNull(
                Flux.mergeSequential(all, all.size(), 1).collectList().block(LIMIT));
    }

    /** {@return the group of each hook, the first in front first} */
    List<ProcessGroup> groups(ChainPlan.Layout layout, int rank, String view) {
        List<ProcessGroup> groups = switch (layout) {
            case PAIR, TRIPLE, FOUR -> List.of(world.get(rank));
            case ROWS_FIRST ->
                List.of(square.get(rank).axis(ROW), square.get(rank).axis(COLUMN));
            case COLUMNS_FIRST ->
                List.of(square.get(rank).axis(COLUMN), square.get(rank).axis(ROW));
            case ALONE_FIRST -> List.of(alone.get(rank), world.get(rank));
            case ALONE_LAST -> List.of(world.get(rank), alone.get(rank));
        };
        return IntStream.range(0, groups.size())
                .mapToObj(hook -> groups.get(hook).named(view + "." + hook).timeout(deadline))
                .toList();
    }

    /** {@return the world ranks that a rank shares a hook's group with, as bits} */
    long mates(ChainPlan.Layout layout, int rank, int hook) {
        return groups(layout, rank, "").get(hook).ranks().stream()
                .mapToLong(mate -> 1L << mate)
                .sum();
    }
}

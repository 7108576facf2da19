package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.collective.CollectiveCase.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/**
 * The contract of what every engine computes: the collectives over the matrix of world sizes, counts, types, reductions and places, bit for
 * bit as the {@link Oracle} has it.
 *
 * <p>The calls of one type run together, and each rank subscribes to them in an order of its own. Then the same calls are subscribed to
 * again, which must give the same bits.
 */
public abstract class CollectiveContract extends WorldContract {

    /** The most that an engine folds or passes on at once; a case of several pieces has more. */
    private static final int PIECE_BYTES = 256 << 10;

    /** The most that it moves at once of what is not folded. */
    private static final int BULK_BYTES = 1 << 20;

    private static final int MOST_RANKS_OF_SEVERAL_PIECES = 5;

    /** {@return the shapes to try} */
    protected ShapeMatrix matrix() {
        return ShapeMatrix.full();
    }

    /** Few shapes of an operation are no reason for a world of its own. */
    final Stream<Arguments> operationsAndSizes() {
        List<Kind> all = List.of(Kind.values());
        List<List<Kind>> together =
                matrix().exhaustive() ? all.stream().map(List::of).toList() : List.of(all);
        return matrix().sizes().stream().flatMap(size -> together.stream().map(kinds -> Arguments.of(kinds, size)));
    }

    final Stream<Integer> sizes() {
        return matrix().sizes().stream();
    }

    /** {@return those that move tens of megabytes only where all is to be tried} */
    final Stream<Integer> sizesOfSeveralPieces() {
        return sizes().filter(size -> size <= MOST_RANKS_OF_SEVERAL_PIECES || Depth.isWhole());
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}, size={1}")
    @MethodSource("operationsAndSizes")
    void collective_eachTypeReductionCountAndPlace_matchesOracle(List<Kind> kinds, int size) {
        List<ProcessGroup> groups = world(size);
        kinds.forEach(kind -> requireOracles(kind, groups));
    }

    private void requireOracles(Kind kind, List<ProcessGroup> groups) {
        int size = groups.size();
        Map<Object, List<CollectiveCase>> batches = new LinkedHashMap<>();
        for (CollectiveCase each : performed(matrix().cases(kind, size))) {
            batches.computeIfAbsent(matrix().exhaustive() ? each.type() : "all", ignored -> new ArrayList<>())
                    .add(each);
        }
        assertThat(batches).as("cases of this operation and size").isNotEmpty();
        batches.values().forEach(batch -> runTogether(groups, batch, size * 31L + kind.ordinal(), 2));
    }

    @ParameterizedTest(name = "size={0}")
    @MethodSource("sizesOfSeveralPieces")
    void collective_severalPieces_matchesOracle(int size) {
        List<ProcessGroup> groups = world(size);
        runTogether(groups, performed(matrix().severalPieces(size, PIECE_BYTES, BULK_BYTES)), size, 2);
    }

    @ParameterizedTest(name = "size={0}")
    @MethodSource("sizes")
    void barrier_oneRankLate_holdsAllOthers(int size) {
        List<ProcessGroup> groups = world(size);
        List<Mono<Work>> barriers = groups.stream().map(ProcessGroup::barrier).toList();
        for (int late = 0; late < Math.min(size, 3); late++) {
            requireHeld(groups, barriers, late);
        }
    }

    private List<CollectiveCase> performed(List<CollectiveCase> cases) {
        return cases.stream()
                .filter(each -> each.op() == null || reduces(each.op(), each.type()))
                .toList();
    }

    /** Runs calls all at once, each rank in an order of its own, and checks them; then again, if told so, as further subscriptions. */
    final void runTogether(List<ProcessGroup> groups, List<CollectiveCase> cases, long seed, int times) {
        Random random = new Random(seed);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<CaseRun> runs = new ArrayList<>();
            List<List<Mono<Work>>> assembled = new ArrayList<>();
            groups.forEach(ignored -> assembled.add(new ArrayList<>()));
            for (CollectiveCase each : cases) {
                CaseRun run = new CaseRun(each, groups.size(), runs.size() + 1, memory);
                runs.add(run);
                groups.forEach(group -> assembled.get(group.rank()).add(explained(run, group)));
            }
            for (int time = 0; time < times; time++) {
                allShuffled(assembled, random);
                runs.forEach(CaseRun::verify);
                runs.forEach(CaseRun::fill);
            }
        }
    }

    private static Mono<Work> explained(CaseRun run, ProcessGroup group) {
        return run.assemble(group)
                .onErrorMap(error -> new AssertionError("failed: rank=" + group.rank() + ", " + run, error));
    }
}

package io.reactivecomm.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Operation;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.collective.Partitions;
import io.reactivecomm.internal.schedule.Cost.Volume;
import io.reactivecomm.internal.schedule.choice.Offer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every builder that goes by hosts, for 1 to 64 ranks on 1 to 16 hosts, even and uneven: elements, costs, and what crosses between hosts. */
class HostsTest {

    /** The sizes whose every example is run. */
    private static final int MOST_IN_FULL = 4;

    /**
     * The extent of a proof.
     *
     * @param sizes of groups
     * @param hosts their numbers
     * @param drawn how many examples of a layout are run, where not all are; others of the next
     */
    private record Extent(List<Integer> sizes, List<Integer> hosts, int drawn) {

        private static final Extent QUICK =
                new Extent(List.of(1, 2, 3, 4, 5, 6, 7, 9, 12, 17), List.of(1, 2, 3, 4, 5, 8), 1);

        private static final Extent WHOLE = new Extent(upTo(64), upTo(16), 2);

        /** Costs differ less from example to example than results do. */
        private static final Extent WHOLE_COSTS = new Extent(upTo(64), upTo(16), 1);

        private static List<Integer> upTo(int most) {
            return IntStream.rangeClosed(1, most).boxed().toList();
        }

        /** Requires what holds for every example. Of each size one has more elements than ranks, or the proof would be about too little. */
        void requireOfEach(Offer offer, Consumer<Example> fact) {
            Set<Integer> inEarnest = new HashSet<>();
            examples(offer).forEach(example -> {
                fact.accept(example);
                if (example.most() > example.size()) {
                    inEarnest.add(example.size());
                }
            });
            assertThat(inEarnest).as("sizes with more elements than ranks").containsExactlyInAnyOrderElementsOf(sizes);
        }

        private Stream<Example> examples(Offer offer) {
            int[] next = {0};
            return sizes.stream()
                    .flatMap(size -> layouts(offer, size, hosts).stream())
                    .flatMap(layout -> {
                        List<Example> all = Example.all(offer, layout).toList();
                        return layout.size() <= MOST_IN_FULL
                                ? all.stream()
                                : IntStream.range(0, drawn).mapToObj(i -> all.get(next[0]++ % all.size()));
                    });
        }
    }

    static Stream<Offer> offers() {
        return Example.offers().filter(offer -> offer.name().startsWith("hierarchical"));
    }

    /** Shared out evenly, all but one a host on the last or on the first, dealt out in turn, and mixed. */
    private static List<Layout> layouts(Offer offer, int size, List<Integer> numbers) {
        List<Layout> layouts = new ArrayList<>();
        for (int hosts : numbers) {
            if (hosts <= size) {
                layouts.add(Layout.over(hosts, size));
                layouts.add(Layout.of(size, rank -> Math.min(hosts - 1, rank)));
                layouts.add(Layout.of(size, rank -> Math.max(0, rank - size + hosts)));
                layouts.add(Layout.of(size, rank -> rank % hosts));
                layouts.add(Layout.of(size, rank -> (rank * 7 + rank / 3) % hosts));
            }
        }
        return layouts.stream()
                .distinct()
                .filter(each -> each.isConsecutive() || !offer.needs().contains(Offer.Need.CONSECUTIVE))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("offers")
    void schedule_onHosts_takesEachContributionOnceInOrder(Offer offer) {
        Extent.QUICK.requireOfEach(offer, HostsTest::requireResult);
    }

    @Tag("thorough")
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    @ParameterizedTest
    @MethodSource("offers")
    void schedule_onAnyHosts_takesEachContributionOnceInOrder(Offer offer) {
        Extent.WHOLE.requireOfEach(offer, HostsTest::requireResult);
    }

    private static void requireResult(Example example) {
        List<Schedule> schedules = example.schedules();
        for (boolean eager : new boolean[] {false, true}) {
            List<SymbolicMemory> memories = example.memories(schedules);
            SymbolicRun run =
                    example.prepared(schedules, memories, eager, example.size()).run();
            assertThat(run.isComplete()).as("all steps end: %s", example).isTrue();
            example.verify(memories);
        }
    }

    @ParameterizedTest
    @MethodSource("offers")
    void cost_onHosts_isWhatSchedulesAddUpTo(Offer offer) {
        Extent.QUICK.requireOfEach(offer, CostTest::requireCost);
    }

    @Tag("thorough")
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    @ParameterizedTest
    @MethodSource("offers")
    void cost_onAnyHosts_isWhatSchedulesAddUpTo(Offer offer) {
        Extent.WHOLE_COSTS.requireOfEach(offer, CostTest::requireCost);
    }

    /** S is divisible by hosts and ranks, so that the formulas of docs/algorithms.md are exact. */
    @ParameterizedTest
    @MethodSource("offers")
    void bytesBetweenHosts_areAsDocumented(Offer offer) {
        for (int h : Extent.WHOLE.hosts()) {
            for (int p : new int[] {1, 2, 3, 4}) {
                Layout layout = Layout.over(h, h * p);
                IntStream.of(0, layout.size() / 2, layout.size() - 1).distinct().forEach(root -> {
                    long s = 4L * h * p;
                    long expected = h == 1 ? 0 : documented(offer.row(), h, p, s, layout.host(root));
                    assertThat(crossings(offer, layout, s, root).mostBytes(1, 1))
                            .as("%s on %d hosts of %d, root %d", offer.row(), h, p, root)
                            .isEqualTo(expected);
                });
            }
        }
    }

    private static long documented(String row, int h, int p, long s, int rootHost) {
        boolean isAmid = rootHost > 0 && rootHost < h - 1;
        return switch (row) {
            case "all-reduce=hierarchical-chain" -> h == 2 ? s : 2 * s;
            case "all-reduce=hierarchical-direct", "inference-all-reduce=hierarchical-direct" ->
                (p + 1) * s * (h - 1) / h;
            case "all-reduce=hierarchical-ring" -> 2 * s * (h - 1) / h;
            case "reduce=hierarchical-chain" -> isAmid ? 2 * s : s;
            case "broadcast=hierarchical-chain" -> s;
            case "broadcast=hierarchical-binomial" -> s * Cost.log2Up(h);
            case "all-gather=hierarchical-direct", "reduce-scatter=hierarchical-ring" -> s * (h - 1) / h;
            case "reduce-scatter=hierarchical-chain" -> h == 2 ? s : s + s / h;
            default -> throw new AssertionError("not documented: " + row);
        };
    }

    private static Crossings crossings(Offer offer, Layout layout, long count, int root) {
        int size = layout.size();
        Partition whole = Partition.whole(count);
        Partition part = Partition.whole(count / size);
        Partition parts = Partition.even(size, count / size);
        Partitions partitions = switch (offer.operation()) {
            case ALL_GATHER -> new Partitions(part, parts);
            case REDUCE_SCATTER -> new Partitions(parts, part);
            default -> new Partitions(whole, whole);
        };
        IntFunction<Place> places = rank -> new Place(rank, layout, root, partitions);
        return Crossings.of(
                layout,
                rank -> offer.algorithm().cost(places.apply(rank)),
                rank -> offer.algorithm().schedule(places.apply(rank)));
    }

    @Test
    void partialResults_crossOnceAlongTheChain_andElementsBack() {
        Offer chain = allReduce("hierarchical-chain");
        Crossings crossings = crossings(chain, Layout.over(3, 6), 10, 0);

        assertThat(IntStream.range(0, 3).mapToObj(crossings::sentBy))
                .containsExactly(new Volume(2, 0, 10), new Volume(4, 10, 10), new Volume(2, 10, 0));
        assertThat(IntStream.range(0, 3).mapToObj(crossings::receivedBy))
                .containsExactly(new Volume(2, 10, 0), new Volume(4, 10, 10), new Volume(2, 0, 10));
        assertThat(crossings.mostBytes(2, 4)).isEqualTo(60);
    }

    /** A host that sends more partial results than one would fill its way with them: the docs say at most S, or 2·S. */
    @Test
    void chain_onUnevenHosts_sendsNoMore() {
        Offer chain = allReduce("hierarchical-chain");
        for (Layout layout : layouts(chain, 11, Extent.WHOLE.hosts())) {
            assertThat(crossings(chain, layout, 100, 0).mostBytes(1, 1))
                    .as("%s", layout)
                    .isLessThanOrEqualTo(layout.hosts() == 2 ? 100 : 200);
        }
    }

    private static Offer allReduce(String name) {
        return Offer.of(Operation.ALL_REDUCE).stream()
                .filter(offer -> offer.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}

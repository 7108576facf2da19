package io.reactivecomm.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.internal.schedule.Cost.Volume;
import io.reactivecomm.internal.schedule.choice.Offer;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps and bytes: what the arithmetic says, what the schedules add up to, and what the Javadoc states are the same. */
class CostTest {

    private static final int[] SIZES = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 31, 32, 33, 64};

    static Stream<Offer> offers() {
        return Example.offers();
    }

    @ParameterizedTest
    @MethodSource("offers")
    void cost_ofEachRank_isWhatItsScheduleAddsUpTo(Offer offer) {
        for (int size : SIZES) {
            Example.all(offer, size).filter(Example::inPlace).forEach(CostTest::requireCost);
            Example.all(offer, size)
                    .filter(example -> !example.inPlace())
                    .limit(4)
                    .forEach(CostTest::requireCost);
        }
    }

    /** On whichever hosts the ranks are; how a chain fills is {@link FillTest}'s. */
    static void requireCost(Example example) {
        List<Schedule> schedules = example.schedules();
        SymbolicRun run = example.prepared(schedules, example.memories(schedules), true, 1);
        int depth = run.depth();
        int between = run.depthsBetweenHosts(example.layout()).most();
        for (int rank = 0; rank < example.size(); rank++) {
            Cost cost = example.offer().algorithm().cost(example.place(rank));
            assertThat(cost)
                    .as("rank %d of %s", rank, example)
                    .isEqualTo(new Cost(
                            depth,
                            between,
                            cost.fillSteps(),
                            cost.fillElements(),
                            cost.fillStreams(),
                            Volumes.sent(schedules.get(rank)),
                            Volumes.received(schedules.get(rank)),
                            schedules.get(rank).scratchCount()));
            assertThat(cost.fillSteps()).isBetween(0, depth);
        }
    }

    /** S is divisible by n, so that the formulas are exact; the busiest rank counts. */
    @ParameterizedTest
    @MethodSource("offers")
    void cost_ofTheBusiestRank_isAsDocumented(Offer offer) {
        for (int size : SIZES) {
            for (int root : new int[] {0, size - 1}) {
                Documented documented = Documented.of(offer, size, root);
                List<Cost> costs = IntStream.range(0, size)
                        .mapToObj(rank -> offer.algorithm()
                                .cost(new Place(rank, Layout.apart(size), root, documented.partitions(rank))))
                        .toList();
                assertThat(costs)
                        .extracting(Cost::steps)
                        .as("steps of %s, n=%d, root=%d", offer.name(), size, root)
                        .containsOnly(documented.steps());
                assertThat(costs.stream()
                                .mapToLong(cost -> elements(cost.sent()))
                                .max()
                                .orElse(0))
                        .as("elements sent by %s %s, n=%d, root=%d", offer.operation(), offer.name(), size, root)
                        .isEqualTo(documented.sent());
                assertThat(costs.stream()
                                .mapToLong(cost -> elements(cost.received()))
                                .max()
                                .orElse(0))
                        .as("elements received by %s %s, n=%d, root=%d", offer.operation(), offer.name(), size, root)
                        .isEqualTo(documented.received());
            }
        }
    }

    private static long elements(Volume volume) {
        return volume.elements() + volume.partials();
    }
}

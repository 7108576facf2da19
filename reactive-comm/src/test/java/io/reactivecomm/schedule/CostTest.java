package io.reactivecomm.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.schedule.Example.Kind;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps and elements as each algorithm's Javadoc states its cost. */
class CostTest {

    static Stream<Integer> sizes() {
        return IntStream.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 31, 32, 33, 64).boxed();
    }

    private static int log2Up(int size) {
        return 32 - Integer.numberOfLeadingZeros(size - 1);
    }

    private static int atMostOne(int size) {
        return size == 1 ? 0 : 1;
    }

    private static long sent(Schedule schedule) {
        return schedule.steps().stream().filter(Step.Send.class::isInstance).mapToLong(Step::count).sum();
    }

    /** Elements divide evenly, so that the formulas are exact. */
    private static Example example(Kind kind, int size, int root) {
        return new Example(kind, size, kind == Kind.BARRIER ? 0 : 4L * size, root, true);
    }

    private static void requireSteps(Example example, int steps) {
        assertThat(example.run(1).depth()).as("steps of %s", example).isEqualTo(steps);
    }

    private static void requireEachSends(Example example, long elements) {
        assertThat(example.schedules()).as("elements that a rank sends in %s", example).allSatisfy(each -> assertThat(sent(each)).isEqualTo(elements));
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void allReduces_costTwoStepsOfAShareOrOneOfTheWhole(int size) {
        Example large = example(Kind.RANK_ORDER, size, -1);
        requireSteps(large, 2 * atMostOne(size));
        requireEachSends(large, 2 * 4L * (size - 1));
        Example small = example(Kind.GATHER_FOLD, size, -1);
        requireSteps(small, atMostOne(size));
        requireEachSends(small, (size - 1) * 4L * size);
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void gatherAndScatter_costOneStepOfAllOtherParts(int size) {
        for (Kind kind : List.of(Kind.ALL_GATHER, Kind.REDUCE_SCATTER)) {
            Example example = example(kind, size, -1);
            requireSteps(example, atMostOne(size));
            requireEachSends(example, (size - 1) * example.count());
        }
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void broadcast_costsTheLogarithmOfTheSize(int size) {
        for (int root = 0; root < size; root++) {
            Example example = example(Kind.BROADCAST, size, root);
            List<Schedule> schedules = example.schedules();
            assertThat(lastRound(schedules, root, 0)).as("rounds of %s", example).isEqualTo(log2Up(size));
            for (int rank = 0; rank < size; rank++) {
                long most = example.count() * (rank == root ? log2Up(size) : Math.max(0, log2Up(size) - 1));
                assertThat(sent(schedules.get(rank))).isLessThanOrEqualTo(most);
            }
            assertThat(sent(schedules.get(root))).isEqualTo(example.count() * log2Up(size));
        }
    }

    /** {@return the round in which the last rank below that one has the tensor, if a rank sends once a round, in its schedule's order} */
    private static int lastRound(List<Schedule> schedules, int rank, int received) {
        int round = received;
        int last = received;
        for (Step step : schedules.get(rank).steps()) {
            if (step instanceof Step.Send send) {
                last = Math.max(last, lastRound(schedules, send.peer(), ++round));
            }
        }
        return last;
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void reduce_costsOneStepOrAChain(int size) {
        for (int root = 0; root < size; root++) {
            Example direct = example(Kind.DIRECT_REDUCE, size, root);
            requireSteps(direct, atMostOne(size));
            assertThat(direct.schedules().stream().mapToLong(CostTest::sent).sum()).isEqualTo((size - 1) * direct.count());

            Example chain = example(Kind.CHAIN_REDUCE, size, root);
            boolean rootIsLast = root == size - 1;
            requireSteps(chain, rootIsLast ? size - 1 : size);
            for (Schedule schedule : chain.schedules()) {
                assertThat(sent(schedule)).isLessThanOrEqualTo(chain.count());
                assertThat(schedule.scratchCount()).isIn(0L, chain.count());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void barrier_costsTheLogarithmOfTheSizeAndNoElement(int size) {
        Example example = example(Kind.BARRIER, size, -1);
        requireSteps(example, log2Up(size));
        requireEachSends(example, 0);
    }
}

package io.reactivecomm.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Operation;
import io.reactivecomm.internal.schedule.choice.Offer;
import io.reactivecomm.internal.schedule.choice.Offer.Need;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every builder for all ranks of many sizes: transfers pair up, nothing waits in a circle, and each element ends as it should. */
class ScheduleTest {

    private static final int MOST = 64;

    /** The sizes whose every example is run. */
    private static final int MOST_IN_FULL = 5;

    private static final int STRIDE = 11;

    /** Elements in all that a run may have, so that the suite stays quick. */
    private static final long MOST_VALUES_OF_MANY = 4_500;

    /** As many for 257 ranks: a part of one element from each to each. */
    private static final long MOST_VALUES = 70_000;

    static Stream<Offer> offers() {
        return Example.offers();
    }

    /** Every size that is small, and those at and around powers of two. */
    @ParameterizedTest
    @MethodSource("offers")
    void schedule_smallAndUnevenSizes_takesEachContributionOnceInOrder(Offer offer) {
        requireResults(offer, IntStream.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 24, 33, 64));
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("offers")
    void schedule_eachSizeTo64_takesEachContributionOnceInOrder(Offer offer) {
        requireResults(offer, IntStream.rangeClosed(1, MOST));
    }

    private static void requireResults(Offer offer, IntStream sizes) {
        sizes.forEach(size -> examples(offer, size).forEach(example -> requireResult(example, size % 2 == 0)));
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("offers")
    void schedule_of257Ranks_takesEachContributionOnceInOrder(Offer offer) {
        boolean foldsAllEverywhere = offer.name().contains("gather-fold");
        Example.all(offer, 257)
                .filter(example -> example.root() <= 1
                        && example.most() >= Math.min(1, Example.usual(offer, 2).most()))
                .filter(example -> 257 * example.most() <= (foldsAllEverywhere ? 257 : MOST_VALUES))
                .limit(2)
                .forEach(example -> requireResult(example, false));
    }

    /** What a rank folds it hands on while the rest is still to be folded: here, one element of at least two. */
    @ParameterizedTest
    @MethodSource("offers")
    void schedule_thatFoldsAndHandsOn_doesBothAtATime(Offer offer) {
        Example example = Example.usual(offer, 4);
        List<Schedule> schedules = example.schedules();
        for (int rank = 0; rank < schedules.size(); rank++) {
            List<Step> steps = schedules.get(rank).steps();
            for (int fold = 0; fold < steps.size(); fold++) {
                for (int send = fold + 1; send < steps.size(); send++) {
                    if (handsOn(steps.get(send), steps.get(fold))) {
                        SymbolicRun.Held held = new SymbolicRun.Held(rank, fold, 1);
                        SymbolicRun run =
                                new SymbolicRun(schedules, example.memories(schedules), false, held, rank).run();
                        assertThat(run.progress(rank, send))
                                .as("%s, rank=%d, step=%d", example, rank, send)
                                .isEqualTo(1);
                    }
                }
            }
        }
    }

    private static boolean handsOn(Step step, Step before) {
        return step instanceof Step.Send send
                && before instanceof Step.Fold fold
                && send.source().equals(fold.target())
                && send.count() > 1;
    }

    /** All of small worlds; of each larger one a few, other ones in the next. */
    private static List<Example> examples(Offer offer, int size) {
        List<Example> all = Example.all(offer, size).toList();
        return IntStream.range(0, all.size())
                .filter(i -> size <= MOST_IN_FULL || i % STRIDE == size % STRIDE)
                .mapToObj(all::get)
                .filter(example -> size * example.most() <= MOST_VALUES_OF_MANY)
                .toList();
    }

    private static void requireResult(Example example, boolean eager) {
        List<Schedule> schedules = example.schedules();
        List<SymbolicMemory> memories = example.memories(schedules);
        SymbolicRun run = example.prepared(schedules, memories, example.isEagerOnly() || eager, example.size())
                .run();
        assertThat(run.isComplete()).as("all steps end: %s", example).isTrue();
        example.verify(memories);
    }

    /** Large transfers wait for their receivers, small ones do not; both go on in worlds of both parities. */
    @ParameterizedTest
    @MethodSource("offers")
    void schedule_ofEvenSizesWithGrantedSends_ends(Offer offer) {
        if (!offer.needs().contains(Need.EAGER)) {
            IntStream.of(2, 4, 6, 8, 12, 16, 32)
                    .forEach(size -> examples(offer, size).forEach(example -> requireResult(example, false)));
        }
    }

    @ParameterizedTest
    @MethodSource("offers")
    void schedule_ofAnyRank_hasTheAlgorithmsNameAndFingerprint(Offer offer) {
        List<Schedule> schedules = Example.usual(offer, 5).schedules();

        assertThat(schedules).extracting(Schedule::algorithm).containsOnly(offer.name());
        assertThat(schedules)
                .extracting(Schedule::fingerprint)
                .containsOnly(schedules.getFirst().fingerprint());
    }

    @Test
    void fingerprints_ofAlgorithmsOfOneOperation_differ() {
        for (Operation operation : Operation.values()) {
            assertThat(Offer.of(operation).stream()
                            .map(offer -> (long) offer.name().hashCode()))
                    .doesNotHaveDuplicates();
        }
    }

    @ParameterizedTest
    @MethodSource("offers")
    void barrier_ofAnyRank_comesAfterTheBeginningOfEveryOther(Offer offer) {
        if (offer.operation() == Operation.BARRIER || offer.operation() == Operation.MONITORED_BARRIER) {
            for (int size = 2; size <= 17; size++) {
                Example barrier = Example.usual(offer, size);
                for (int late = 0; late < size; late++) {
                    requireNobodyPasses(barrier, late);
                }
            }
        }
    }

    /** Holds all that a rank sends: then no other rank gets through. */
    private static void requireNobodyPasses(Example barrier, int late) {
        List<Schedule> schedules = barrier.schedules();
        List<SymbolicMemory> memories = barrier.memories(schedules);
        SymbolicRun run = new SymbolicRun(
                        schedules, memories, false, new SymbolicRun.Held(late, SymbolicRun.ALL_STEPS, 0), late)
                .run();
        for (int rank = 0; rank < barrier.size(); rank++) {
            assertThat(run.isComplete(rank))
                    .as("rank %d passes before rank %d of %d", rank, late, barrier.size())
                    .isFalse();
        }
    }

    @Test
    void messages_areOneTransfer() {
        Schedule send = Message.send(3, 10);
        Schedule receive = Message.receive(2, 10);

        assertThat(send.steps()).containsExactly(new Step.Send(3, new Span(Buffer.INPUT, 0, 10), List.of()));
        assertThat(receive.steps()).containsExactly(new Step.Receive(2, new Span(Buffer.OUTPUT, 0, 10), List.of()));
        assertThat(send.fingerprint()).isEqualTo(receive.fingerprint());
    }
}

package io.reactivecomm.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Operation;
import io.reactivecomm.collective.Partitions;
import io.reactivecomm.internal.schedule.SymbolicMemory.Value;
import io.reactivecomm.internal.schedule.choice.Offer;
import io.reactivecomm.internal.schedule.choice.Offer.Need;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every builder for as many ranks as one likes, one rank at a time: {@code -Dschedules.ranks=1024,4096}; in the suite for few.
 *
 * <p>That transfers pair up is shown by sums: each send adds a hash of what both ends must agree on, each receiver subtracts it. That
 * elements end as they should is asked of some, backwards.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ManyRanksTest {

    private static final String SIZES = System.getProperty("schedules.ranks", "7,100");

    /** A chain of thousands of ranks is followed by recursion. */
    private static final long STACK_BYTES = 1L << 30;

    static Stream<Arguments> cases() {
        return Arrays.stream(SIZES.split(","))
                .flatMap(size -> Example.offers().map(offer -> Arguments.of(Integer.valueOf(size), offer)));
    }

    private record Call(Offer offer, int size, Documented documented, int root) {

        Place place(int rank) {
            return new Place(rank, Layout.apart(size), root, documented.partitions(rank));
        }

        Schedule schedule(int rank) {
            return offer.algorithm().schedule(place(rank));
        }
    }

    private static Call call(int size, Offer offer) {
        int root = size / 3;
        return new Call(offer, size, Documented.of(offer, size, root), root);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void transfers_ofAllRanks_pairUp_andCostWhatIsDocumented(int size, Offer offer) {
        Call call = call(size, offer);
        long unpaired = 0;
        for (int rank = 0; rank < size; rank++) {
            Schedule schedule = call.schedule(rank);
            unpaired += new Edges(rank, size).sum(schedule);
            Cost cost = offer.algorithm().cost(call.place(rank));
            if (!cost.sent().equals(Volumes.sent(schedule))
                    || !cost.received().equals(Volumes.received(schedule))
                    || cost.scratch() != schedule.scratchCount()) {
                throw new AssertionError("rank " + rank + " of " + offer + " costs other than its schedule: " + cost);
            }
            assertThat(cost.steps()).isEqualTo(call.documented.steps());
        }
        assertThat(unpaired).as("hashes of sends less those of receivers").isZero();
    }

    /** The ends of a rank's transfers: sender, receiver, number, count, kind. */
    private static final class Edges {

        private final int rank;
        private final int[] sent;
        private final int[] received;
        private final boolean[] writesPartials;
        private long sum;

        private Edges(int rank, int size) {
            this.rank = rank;
            this.sent = new int[size];
            this.received = new int[size];
            this.writesPartials = new boolean[1];
        }

        long sum(Schedule schedule) {
            writesPartials[0] = schedule.steps().stream().anyMatch(Step.Fold.class::isInstance);
            for (Step step : schedule.steps()) {
                switch (step) {
                    case Step.Send send ->
                        sum += hash(rank, send.peer(), sent[send.peer()]++, send.count(), isPartial(send.source()));
                    case Step.Receive receive ->
                        sum -= hash(
                                receive.peer(),
                                rank,
                                received[receive.peer()]++,
                                receive.count(),
                                isPartial(receive.target()));
                    case Step.Fold fold ->
                        fold.sources().forEach(source -> {
                            if (source instanceof Step.Source.Remote remote) {
                                sum -= hash(
                                        remote.peer(), rank, received[remote.peer()]++, fold.count(), remote.partial());
                            }
                        });
                    case Step.Copy ignored -> {}
                }
            }
            return sum;
        }

        private boolean isPartial(Span span) {
            return writesPartials[0] && span.buffer() == Buffer.SCRATCH;
        }

        private static long hash(long from, long to, long number, long count, boolean partial) {
            long hash = mix(from << 32 | to);
            hash = mix(hash + number);
            return mix(hash + 2 * count + (partial ? 1 : 0));
        }

        private static long mix(long value) {
            long z = (value + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
            return z ^ (z >>> 29);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void elements_ofSomeRanks_takeEachContributionOnceInOrder(int size, Offer offer) throws InterruptedException {
        Call call = call(size, offer);
        AssertionError[] failure = new AssertionError[1];
        Thread thread = new Thread(
                null,
                () -> {
                    try {
                        IntStream.of(1, size / 3, size - 1).distinct().forEach(rank -> requireElements(call, rank));
                    } catch (AssertionError e) {
                        failure[0] = e;
                    }
                },
                "elements",
                STACK_BYTES);
        thread.start();
        thread.join();
        if (failure[0] != null) {
            throw failure[0];
        }
    }

    private static void requireElements(Call call, int rank) {
        List<Partitions> partitions = IntStream.range(0, call.size)
                .mapToObj(call.documented::partitions)
                .toList();
        Example example = new Example(call.offer, Layout.apart(call.size), "large", partitions, call.root, false);
        long elements = partitions.get(rank).output().total();
        // The first chunk's first element and the last chunk's last.
        for (long element : elements == 0 ? new long[0] : new long[] {0, elements - 1}) {
            LazyRun.Answer answer = new LazyRun(call::schedule).output(rank, element);
            Value value = call.offer.needs().contains(Need.ASSOCIATIVE)
                    ? new Value(
                            answer.value().index(),
                            answer.value().ranks().stream().sorted().toList(),
                            answer.value().finished())
                    : answer.value();
            boolean isKept = call.offer.operation() == Operation.REDUCE && rank != call.root;
            assertThat(value).as("element %d of rank %d", element, rank).isEqualTo(example.expected(rank, element));
            assertThat(answer.depth()).isBetween(0, isKept ? 0 : call.documented.steps());
        }
    }
}

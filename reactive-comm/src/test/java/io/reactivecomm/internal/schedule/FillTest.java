package io.reactivecomm.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.collective.Partition;
import io.reactivecomm.collective.Partitions;
import io.reactivecomm.internal.schedule.choice.Offer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The filling of chains of hosts, as the steps of the schedules have it.
 *
 * <p>While a chain is full, each host has a piece to send at every depth at which it sends, so those steps are in the bytes that it sends. At all
 * other depths it only waits for the first piece, which has to go all of them: these fill the chain.
 */
class FillTest {

    /** 16 MiB of float32. */
    private static final long COUNT = 4 << 20;

    /** The least that moves on the way in all, as a multiple of what fills it: filling takes 5 % or less. */
    private static final long LEAST_MULTIPLE = 20;

    /** The engine cuts no shorter pieces, whatever a schedule wishes. */
    private static final long LEAST_PIECE_BYTES = 32 << 10;

    /** A call of 16 MiB on hosts of as many ranks each. */
    private record Call(Offer offer, Layout layout, int root) {

        static Stream<Call> all(Offer offer, int hosts, int perHost) {
            int size = hosts * perHost;
            return IntStream.of(0, size / 2, size - 1)
                    .distinct()
                    .mapToObj(root -> new Call(offer, Layout.over(hosts, size), root));
        }

        private Place place(int rank) {
            Partition whole = Partition.whole(COUNT);
            Partition part = Partition.whole(COUNT / layout.size());
            Partition parts = Partition.even(layout.size(), COUNT / layout.size());
            return new Place(
                    rank,
                    layout,
                    root,
                    switch (offer.operation()) {
                        case ALL_GATHER -> new Partitions(part, parts);
                        case REDUCE_SCATTER -> new Partitions(parts, part);
                        default -> new Partitions(whole, whole);
                    });
        }

        Cost cost() {
            return offer.algorithm().cost(place(0));
        }

        List<Schedule> schedules() {
            return IntStream.range(0, layout.size())
                    .mapToObj(rank -> offer.algorithm().schedule(place(rank)))
                    .toList();
        }

        /** {@return the steps between hosts in which the host that sends in most of them sends nothing} */
        int fillSteps() {
            SendDepths depths =
                    new SymbolicRun(schedules(), List.of(), true, SymbolicRun.NOTHING, 1).depthsBetweenHosts(layout);
            int busy = IntStream.range(0, layout.hosts())
                    .map(host -> depths.of(layout, host).size())
                    .max()
                    .orElse(0);
            return depths.most() - busy;
        }

        /** {@return the most ranks of a host that send to others} */
        int streams() {
            int[] senders = new int[layout.hosts()];
            List<Schedule> schedules = schedules();
            for (int rank = 0; rank < layout.size(); rank++) {
                int from = rank;
                boolean sends = schedules.get(rank).steps().stream()
                        .anyMatch(step -> step instanceof Step.Send send && layout.isBetweenHosts(from, send.peer()));
                senders[layout.host(rank)] += sends ? 1 : 0;
            }
            return Arrays.stream(senders).max().orElse(0);
        }

        /** {@return elements of a piece, which all ranks wish alike} */
        long pieceElements() {
            List<Long> wishes =
                    schedules().stream().map(Schedule::pieceElements).distinct().toList();
            assertThat(wishes).as("wishes of %s", this).hasSize(1);
            return wishes.getFirst();
        }

        /** {@return the most that a host sends or receives} */
        long mostElements() {
            return Crossings.of(
                            layout,
                            rank -> offer.algorithm().cost(place(rank)),
                            rank -> offer.algorithm().schedule(place(rank)))
                    .mostBytes(1, 1);
        }
    }

    static Stream<Offer> offers() {
        return HostsTest.offers();
    }

    static Stream<Offer> chains() {
        return offers().filter(FillTest::isChain);
    }

    private static boolean isChain(Offer offer) {
        return offer.name().equals("hierarchical-chain");
    }

    @ParameterizedTest
    @MethodSource("chains")
    void costOfFilling_isThatOfTheSteps(Offer offer) {
        for (int hosts = 2; hosts <= 9; hosts++) {
            for (int perHost = 1; perHost <= 3; perHost++) {
                Call.all(offer, hosts, perHost).forEach(call -> {
                    Cost cost = call.cost();
                    assertThat(cost.fillSteps()).as("steps of %s", call).isEqualTo(call.fillSteps());
                    assertThat(cost.fillElements())
                            .as("elements of a piece of %s", call)
                            .isEqualTo(call.pieceElements());
                    assertThat(cost.fillStreams()).as("streams of %s", call).isEqualTo(call.streams());
                });
            }
        }
    }

    /** On one host nothing is filled, and what is no chain has the way full from the first step on: rings, and the root of a tree. */
    @ParameterizedTest
    @MethodSource("offers")
    void costOfFilling_withoutAChainOfHosts_isNone(Offer offer) {
        for (int hosts = 1; hosts <= (isChain(offer) ? 1 : 9); hosts++) {
            Call.all(offer, hosts, 2)
                    .forEach(call ->
                            assertThat(call.cost().fillSteps()).as("%s", call).isZero());
        }
    }

    @ParameterizedTest
    @MethodSource("chains")
    void filling_alongFourHosts_takesATwentiethOfTheWay_orLess(Offer offer) {
        for (int perHost : new int[] {1, 2, 4}) {
            Call.all(offer, 4, perHost).forEach(call -> {
                long filling = call.fillSteps() * call.streams() * call.pieceElements();
                assertThat(filling * LEAST_MULTIPLE)
                        .as("%s", call)
                        .isPositive()
                        .isLessThanOrEqualTo(call.mostElements());
                assertThat(call.pieceElements() * Float.BYTES)
                        .as("bytes of a piece of %s", call)
                        .isGreaterThanOrEqualTo(LEAST_PIECE_BYTES);
            });
        }
    }
}

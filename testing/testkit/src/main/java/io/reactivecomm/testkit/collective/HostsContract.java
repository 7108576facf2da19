package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.Bits;
import io.reactivecomm.DType;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.collective.CollectiveCase.Kind;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The contract of worlds whose ranks are on several hosts, as far as they say: algorithms that go by hosts give the bits that all others give, on even
 * hosts and uneven ones, in any order of ranks, and groups with other layouts live beside each other.
 */
public abstract class HostsContract extends WorldContract {

    /** Eagerly, in one piece, and in several; odd, so that shares differ. */
    private static final List<Long> COUNTS = List.of(0L, 3L, 1_004L, 60_007L, 300_009L);

    /** Elements of which each rank of four has a share that is worth going by hosts. */
    private static final int SHARED = 1 << 18;

    private static final List<DType> TYPES = List.of(DType.FLOAT32, DType.BFLOAT16, DType.INT8);

    /** The algorithms that go by hosts. */
    private static final List<Way> WAYS = List.of(
            new Way(Kind.ALL_REDUCE, "hierarchical-chain"),
            new Way(Kind.ALL_REDUCE, "hierarchical-direct"),
            new Way(Kind.ALL_REDUCE, "hierarchical-ring"),
            new Way(Kind.REDUCE, "hierarchical-chain"),
            new Way(Kind.BROADCAST, "hierarchical-binomial"),
            new Way(Kind.BROADCAST, "hierarchical-chain"),
            new Way(Kind.ALL_GATHER, "hierarchical-direct"),
            new Way(Kind.REDUCE_SCATTER, "hierarchical-chain"),
            new Way(Kind.REDUCE_SCATTER, "hierarchical-ring"));

    private record Way(Kind kind, String algorithm) {

        /** A left fold along hosts wants the ranks of each one after another. */
        boolean runsOn(List<Integer> hosts) {
            boolean isConsecutive = hosts.equals(hosts.stream().sorted().toList());
            return isConsecutive || !kind.reduces() || !algorithm.equals("hierarchical-chain");
        }

        /** What the ring brackets otherwise has one result in any order. */
        CollectiveCase wanted(DType type, long count, int size) {
            boolean isRounded = type != DType.INT8;
            ReduceOp op = !isRounded
                    ? ReduceOp.SUM
                    : algorithm.endsWith("ring") ? ReduceOp.MAX : count % 2 == 0 ? ReduceOp.AVG : ReduceOp.SUM;
            boolean countsParts = kind == Kind.ALL_GATHER || kind == Kind.REDUCE_SCATTER;
            return new CollectiveCase(
                    kind,
                    type,
                    kind.reduces() ? op : null,
                    countsParts ? count / size : count,
                    size / 2,
                    !kind.hasOutput() || count % 3 == 1);
        }
    }

    /** {@return a new world of ranks that say they are on those hosts} */
    protected abstract World open(List<Integer> hosts);

    @Override
    public final World open(int size) {
        return open(Collections.nCopies(size, 0));
    }

    private List<ProcessGroup> world(List<Integer> hosts) {
        return closedAfterwards(open(hosts));
    }

    static Stream<List<Integer>> moreHosts() {
        return Stream.of(
                List.of(0, 0, 1, 1),
                List.of(0, 1, 1, 1, 2),
                List.of(0, 0, 0, 1),
                List.of(0, 0, 1, 1, 2, 2),
                List.of(0, 1, 2),
                List.of(0, 0, 0),
                List.of(0, 1, 0, 1));
    }

    /** Uneven hosts, whose ranks do not follow one another. */
    @Tag("smoke")
    @Test
    void algorithms_askedForByName_haveTheBitsOfTheRankOrder() {
        requireBits(List.of(0, 1, 1, 0, 2));
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("moreHosts")
    void algorithms_onMoreHosts_haveTheBitsOfTheRankOrder(List<Integer> hosts) {
        requireBits(hosts);
    }

    /** All calls of all algorithms, sizes and types at once, each rank's in its own order. */
    private void requireBits(List<Integer> hosts) {
        List<ProcessGroup> groups = world(hosts);
        List<CaseRun> runs = new ArrayList<>();
        List<List<Mono<Work>>> calls = new ArrayList<>();
        groups.forEach(ignored -> calls.add(new ArrayList<>()));
        try (GuardedMemory memory = new GuardedMemory(home())) {
            for (Way way : WAYS.stream().filter(each -> each.runsOn(hosts)).toList()) {
                for (DType type : TYPES) {
                    for (long count : COUNTS) {
                        CaseRun run = new CaseRun(
                                way.wanted(type, count, groups.size()), groups.size(), runs.size() + 1, memory);
                        runs.add(run);
                        groups.forEach(
                                group -> calls.get(group.rank()).add(run.assemble(group.algorithm(way.algorithm()))));
                    }
                }
            }
            allShuffled(calls, new Random(hosts.hashCode()));
            runs.forEach(CaseRun::verify);
        }
    }

    @Test
    void table_goesByTheGroupsHosts_andWhatTheCallerTakes() {
        List<ProcessGroup> groups = world(List.of(0, 0, 1, 1));
        Function<ProcessGroup, ProcessGroup> anyOrder = group -> group.bits(Bits.ANY_ORDER);

        assertThat(algorithms(groups, DType.FLOAT32, Function.identity())).containsOnly("hierarchical-chain");
        assertThat(algorithms(groups, DType.INT32, Function.identity())).containsOnly("hierarchical-ring");
        assertThat(algorithms(groups, DType.FLOAT16, Function.identity())).containsOnly("hierarchical-direct");
        assertThat(algorithms(groups, DType.FLOAT32, anyOrder)).containsOnly("hierarchical-ring");
        assertThat(algorithms(
                        groups, DType.FLOAT32, group -> anyOrder.apply(group).bits(Bits.RANK_ORDER)))
                .containsOnly("hierarchical-chain");
    }

    private static List<String> algorithms(
            List<ProcessGroup> groups, DType type, Function<ProcessGroup, ProcessGroup> view) {
        List<Tensor> tensors =
                groups.stream().map(ignored -> Tensor.allocate(type, SHARED)).toList();
        List<Work> works = all(groups, group -> view.apply(group).allReduce(tensors.get(group.rank()), ReduceOp.SUM));
        tensors.forEach(Tensor::close);
        return works.stream().map(Work::algorithm).toList();
    }

    /** Some of six ranks on three hosts, and the algorithm that the table has for them. */
    private record Members(String name, List<Integer> ranks, String algorithm) {}

    /** One size and three layouts, of which a schedule for another would pair other ranks; all at once, with sums that only one order gives. */
    @Test
    void groupsOfOneSize_onOtherHosts_runBesideEachOther() {
        List<ProcessGroup> groups = world(List.of(0, 0, 0, 1, 1, 2));
        Map<Members, List<Tensor>> tensors = new LinkedHashMap<>();
        List<Mono<Work>> calls = new ArrayList<>();
        for (Members members : List.of(
                new Members("pairs", List.of(1, 2, 3, 4), "hierarchical-chain"),
                new Members("three and one", List.of(0, 1, 2, 5), "hierarchical-chain"),
                new Members("in turn", List.of(0, 3, 1, 4), "hierarchical-direct"))) {
            List<Tensor> own = members.ranks.stream()
                    .map(rank -> closedAfterwards(fractions(rank)))
                    .toList();
            tensors.put(members, own);
            formed(groups, members.name, members.ranks)
                    .forEach(group -> calls.add(group.allReduce(own.get(group.rank()), ReduceOp.SUM)
                            .doOnNext(work -> assertThat(work.algorithm())
                                    .as(members.name)
                                    .isEqualTo(members.algorithm))));
        }
        Mono.when(calls).block(LIMIT);
        tensors.forEach((members, own) -> {
            int[] sums = sumsOfFractions(members.ranks);
            assertThat(Arrays.equals(sums, sumsOfFractions(members.ranks.reversed())))
                    .as("other orders have the same sums")
                    .isFalse();
            assertThat(own)
                    .as(members.name)
                    .allSatisfy(each -> assertThat(Arrays.mismatch(bits(each), sums))
                            .as("first wrong element")
                            .isEqualTo(-1));
        });
    }

    /** {@return what a rank has of them: multiples of a fraction of its own, whose sums differ by their order} */
    private static Tensor fractions(int rank) {
        float[] values = new float[SHARED];
        for (int i = 0; i < SHARED; i++) {
            values[i] = fraction(rank, i);
        }
        return Tensor.of(values, SHARED);
    }

    private static float fraction(int rank, int index) {
        return (index + 1) / (2f * rank + 3);
    }

    /** {@return the bits of what fractions of ranks add up to, one after the other} */
    private static int[] sumsOfFractions(List<Integer> ranks) {
        int[] bits = new int[SHARED];
        for (int i = 0; i < SHARED; i++) {
            float sum = fraction(ranks.getFirst(), i);
            for (int rank : ranks.subList(1, ranks.size())) {
                sum += fraction(rank, i);
            }
            bits[i] = Float.floatToRawIntBits(sum);
        }
        return bits;
    }

    /** {@return a group as its members see it, in its order of ranks} */
    private static List<ProcessGroup> formed(List<ProcessGroup> parents, String name, List<Integer> ranks) {
        List<ProcessGroup> formed = Flux.fromIterable(parents)
                .flatMap(
                        group -> group.named(name)
                                .newGroup(ranks.stream()
                                        .mapToInt(Integer::intValue)
                                        .toArray()),
                        parents.size())
                .collectSortedList(Comparator.comparingInt(ProcessGroup::rank))
                .block(LIMIT);
        assertThat(formed).hasSize(ranks.size());
        return Objects.requireNonNull(formed);
    }

    /** Thirds, so that the order shows: all ranks have the same sum, a second run has it again. */
    @Test
    void anyOrder_givesAllRanksTheSameBits_alsoInOneCallOfSeveral() {
        List<ProcessGroup> groups = world(List.of(0, 1, 1, 0, 2)).stream()
                .map(group -> group.bits(Bits.ANY_ORDER))
                .toList();
        int[] first = new int[0];
        for (int time = 0; time < 2; time++) {
            List<List<Tensor>> tensors = groups.stream()
                    .map(group -> List.of(thirds(group.rank(), 200_003), thirds(group.rank(), 77)))
                    .toList();
            all(groups, group -> group.allReduceCoalesced(tensors.get(group.rank()), ReduceOp.SUM));
            int[] bits = bits(tensors.getFirst().getFirst());
            assertThat(tensors)
                    .allSatisfy(each -> assertThat(bits(each.getFirst())).isEqualTo(bits));
            // 15 times 6 thirds: the sum of what five ranks have there.
            assertThat(tensors.getFirst().getLast().toFloatArray()[5]).isCloseTo(30, within(1e-5f));
            assertThat(time == 0 ? bits : first).isEqualTo(bits);
            first = bits;
            tensors.forEach(each -> each.forEach(Tensor::close));
        }
    }

    private static int[] bits(Tensor tensor) {
        return tensor.segment().toArray(ValueLayout.JAVA_INT);
    }

    private static Tensor thirds(int rank, int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (rank + 1) * (i + 1) / 3f;
        }
        return Tensor.of(values, count);
    }

    @Test
    void ranksThatTakeOtherBits_areToldSo() {
        List<ProcessGroup> groups = world(List.of(0, 0, 1, 1));
        List<Tensor> tensors = groups.stream()
                .map(ignored -> Tensor.allocate(DType.FLOAT32, SHARED))
                .toList();
        outcomes(
                        groups,
                        group -> (group.rank() == 2 ? group.bits(Bits.ANY_ORDER) : group)
                                .allReduce(tensors.get(group.rank()), ReduceOp.SUM))
                .forEach(outcome -> outcome.error(MismatchException.class));
        tensors.forEach(Tensor::close);
    }

    @Test
    void scopesThatTakeOtherBits_areToldByWhichAlgorithmsTheyGo() {
        List<ProcessGroup> groups = world(List.of(0, 0, 1, 1));
        List<Tensor> sums = groups.stream()
                .map(ignored -> Tensor.allocate(DType.FLOAT32, SHARED))
                .toList();
        List<Tensor> told =
                groups.stream().map(ignored -> Tensor.allocate(DType.INT8, 3)).toList();
        outcomes(
                        groups,
                        group -> (group.rank() == 2 ? group.bits(Bits.ANY_ORDER) : group)
                                .coalesce(scope -> scope.allReduce(sums.get(group.rank()), ReduceOp.SUM)
                                        .broadcast(told.get(group.rank()), 0)))
                .forEach(outcome -> assertThat(outcome.error(MismatchException.class))
                        .hasMessageContainingAll(
                                "by hierarchical-chain, hierarchical-binomial",
                                "by hierarchical-ring, hierarchical-binomial"));
        sums.forEach(Tensor::close);
        told.forEach(Tensor::close);
    }
}

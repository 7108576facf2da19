package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.testkit.NeedsGcc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The double of NCCL does what NCCL does: beside sums that are made here, for each call, operation and type. */
@ExtendWith(NeedsGcc.class)
class NcclDoubleTest {

    private static final int[] COUNTS = {0, 1, 37};
    private static final int MOST = 37;
    /** More than one piece of the double's, and not whole. */
    private static final int LARGE = 40_001;

    private static final double FACTOR = 2;
    private static final int ROOM = 4 * 8 * MOST;

    /** Small, so that each result is exact whatever the order; three of them multiplied are no more than 125. */
    private static double value(int rank, int index) {
        return (index * 7 + rank * 3) % 5 + 1;
    }

    private static double combined(NcclOperation op, NcclType type, int ranks, int index) {
        double[] values = IntStream.range(0, ranks)
                .mapToDouble(rank -> value(rank, index))
                .toArray();
        double sum = IntStream.range(0, ranks).mapToDouble(rank -> values[rank]).sum();
        return switch (op) {
            case SUM -> sum;
            case PRODUCT ->
                IntStream.range(0, ranks).mapToDouble(rank -> values[rank]).reduce(1, (a, b) -> a * b);
            case MIN ->
                IntStream.range(0, ranks)
                        .mapToDouble(rank -> values[rank])
                        .min()
                        .orElseThrow();
            case MAX ->
                IntStream.range(0, ranks)
                        .mapToDouble(rank -> values[rank])
                        .max()
                        .orElseThrow();
            case AVG -> average(sum, ranks, type);
        };
    }

    private static double average(double sum, int ranks, NcclType type) {
        float quotient = (float) sum / ranks;
        return switch (type) {
            case FLOAT16 -> Float.float16ToFloat(Float.floatToFloat16(quotient));
            case BFLOAT16 -> Float.intBitsToFloat((int) Math.rint(Float.floatToRawIntBits(quotient) / 65536.0) << 16);
            case FLOAT32 -> quotient;
            case FLOAT64 -> sum / ranks;
            default -> Math.floor(sum / ranks);
        };
    }

    private static void fill(NcclDoubleRanks.Rank rank, NcclType type, int count) {
        NcclElements.fill(rank.memory(), 0, type, count, i -> value(rank.number(), i));
    }

    private static double[] result(NcclDoubleRanks.Rank rank, NcclType type, int count) {
        return NcclElements.read(rank.memory(), ROOM, type, count);
    }

    private static double[] expected(int count, IntToDoubleFunction values) {
        return IntStream.range(0, count).mapToDouble(values).toArray();
    }

    private static void reduceAll(NcclDoubleRanks.Rank rank, NcclType type, NcclOperation op, int code, double factor) {
        int ranks = rank.size();
        for (int count : COUNTS) {
            fill(rank, type, ranks * count);
            rank.calls().allReduce(rank.at(0), rank.at(ROOM), count, type, code, rank.comm(), rank.stream());
            rank.synchronize();
            assertThat(result(rank, type, count))
                    .isEqualTo(expected(count, i -> factor * combined(op, type, ranks, i)));

            int root = ranks - 1;
            rank.calls().reduce(rank.at(0), rank.at(ROOM), count, type, code, root, rank.comm(), rank.stream());
            rank.calls().reduceScatter(rank.at(0), rank.at(2 * ROOM), count, type, code, rank.comm(), rank.stream());
            rank.synchronize();
            assertThat(result(rank, type, count))
                    .isEqualTo(expected(count, i -> factor * combined(op, type, ranks, i)));
            assertThat(NcclElements.read(rank.memory(), 2 * ROOM, type, count))
                    .isEqualTo(expected(count, i -> factor * combined(op, type, ranks, rank.number() * count + i)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void reductions_ofEachOperationAndType_areTheOracles(int size) {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NcclDouble.load(NcclDoubleDialect.NCCL), size, 4 * ROOM)) {
            ranks.succeed(rank -> {
                for (NcclType type : NcclType.values()) {
                    for (NcclOperation op : NcclOperation.values()) {
                        reduceAll(rank, type, op, op.code(), 1);
                    }
                    int code = rank.calls().createPreMulSum(FACTOR, type, rank.comm());
                    reduceAll(rank, type, NcclOperation.SUM, code, FACTOR);
                    rank.calls().destroyPreMulSum(code, rank.comm());
                }
            });
            assertThat(ranks.nccl().faults()).isEmpty();
        }
    }

    /** Moves of each kind, checked at once. */
    private static void moveAll(NcclDoubleRanks.Rank rank, NcclType type, int count) {
        int ranks = rank.size();
        int root = ranks - 1;
        fill(rank, type, ranks * count);
        rank.calls().broadcast(rank.at(0), rank.at(ROOM), count, type, root, rank.comm(), rank.stream());
        rank.synchronize();
        assertThat(result(rank, type, count)).isEqualTo(expected(count, i -> value(root, i)));
        rank.calls().allGather(rank.at(0), rank.at(ROOM), count, type, rank.comm(), rank.stream());
        rank.synchronize();
        assertThat(result(rank, type, ranks * count))
                .isEqualTo(expected(ranks * count, i -> value(i / count, i % count)));
        rank.calls().allToAll(rank.at(0), rank.at(ROOM), count, type, rank.comm(), rank.stream());
        rank.synchronize();
        assertThat(result(rank, type, ranks * count))
                .isEqualTo(expected(ranks * count, i -> value(i / count, rank.number() * count + i % count)));
        rank.calls().scatter(rank.at(0), rank.at(ROOM), count, type, root, rank.comm(), rank.stream());
        rank.synchronize();
        assertThat(result(rank, type, count)).isEqualTo(expected(count, i -> value(root, rank.number() * count + i)));
        rank.calls().gather(rank.at(0), rank.at(ROOM), count, type, 0, rank.comm(), rank.stream());
        rank.synchronize();
        if (rank.number() == 0) {
            assertThat(result(rank, type, ranks * count))
                    .isEqualTo(expected(ranks * count, i -> value(i / count, i % count)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void moves_ofEachType_areTheOracles(int size) {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NcclDouble.load(NcclDoubleDialect.NCCL), size, 4 * ROOM)) {
            ranks.succeed(rank -> {
                for (NcclType type : NcclType.values()) {
                    for (int count : COUNTS) {
                        moveAll(rank, type, count);
                    }
                }
            });
            assertThat(ranks.nccl().faults()).isEmpty();
        }
    }

    /** Each rank sends to all, itself too, in one group, and receives as much. */
    private static void exchange(NcclDoubleRanks.Rank rank, NcclType type, int count) {
        int ranks = rank.size();
        fill(rank, type, count);
        rank.calls().groupStart();
        for (int peer = 0; peer < ranks; peer++) {
            long to = rank.at(ROOM) + (long) peer * count * type.byteSize();
            rank.calls().send(rank.at(0), count, type, peer, rank.comm(), rank.stream());
            rank.calls().receive(to, count, type, peer, rank.comm(), rank.stream());
        }
        rank.calls().groupEnd();
        rank.synchronize();
        assertThat(result(rank, type, ranks * count))
                .isEqualTo(expected(ranks * count, i -> value(i / count, i % count)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void messages_inGroups_goToEachRankAndToSelf(int size) {
        try (NcclDoubleRanks ranks =
                NcclDoubleRanks.begin(NcclDouble.load(NcclDoubleDialect.NCCL_OF_DEBIAN), size, 4 * ROOM)) {
            ranks.succeed(rank -> {
                for (NcclType type : NcclType.values()) {
                    for (int count : COUNTS) {
                        exchange(rank, type, count);
                    }
                }
            });
            assertThat(ranks.nccl().faults()).isEmpty();
        }
    }

    @Test
    void largeCalls_goInPieces() {
        int bytes = LARGE * Float.BYTES;
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NcclDouble.load(NcclDoubleDialect.NCCL), 2, 4 * bytes)) {
            ranks.succeed(rank -> {
                int other = 1 - rank.number();
                NcclElements.fill(rank.memory(), 0, NcclType.FLOAT32, LARGE, i -> rank.number() + i);
                rank.calls().groupStart();
                rank.calls()
                        .allReduce(
                                rank.at(0),
                                rank.at(bytes),
                                LARGE,
                                NcclType.FLOAT32,
                                NcclOperation.SUM.code(),
                                rank.comm(),
                                rank.stream());
                rank.calls().send(rank.at(0), LARGE, NcclType.FLOAT32, other, rank.comm(), rank.stream());
                rank.calls().receive(rank.at(2L * bytes), LARGE, NcclType.FLOAT32, other, rank.comm(), rank.stream());
                rank.calls().groupEnd();
                rank.synchronize();
                assertThat(NcclElements.read(rank.memory(), bytes, NcclType.FLOAT32, LARGE))
                        .isEqualTo(expected(LARGE, i -> 1 + 2.0 * i));
                assertThat(NcclElements.read(rank.memory(), 2L * bytes, NcclType.FLOAT32, LARGE))
                        .isEqualTo(expected(LARGE, i -> other + i));
            });
            assertThat(ranks.nccl().faults()).isEmpty();
        }
    }

    @Test
    void callsInPlace_areAllowedWhereNcclAllowsThem() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NcclDouble.load(NcclDoubleDialect.NCCL), 2)) {
            ranks.succeed(rank -> {
                long own = (long) rank.number() * 4 * Float.BYTES;
                fill(rank, NcclType.FLOAT32, 4);
                rank.calls().allReduce(rank.at(0), rank.at(0), 4, NcclType.FLOAT32, 0, rank.comm(), rank.stream());
                rank.synchronize();
                assertThat(NcclElements.read(rank.memory(), 0, NcclType.FLOAT32, 4))
                        .isEqualTo(expected(4, i -> value(0, i) + value(1, i)));
                fill(rank, NcclType.FLOAT32, 8);
                rank.calls()
                        .reduceScatter(rank.at(0), rank.at(own), 4, NcclType.FLOAT32, 0, rank.comm(), rank.stream());
                rank.calls().allGather(rank.at(own), rank.at(0), 4, NcclType.FLOAT32, rank.comm(), rank.stream());
                rank.synchronize();
                assertThat(NcclElements.read(rank.memory(), 0, NcclType.FLOAT32, 8))
                        .isEqualTo(expected(8, i -> value(0, i) + value(1, i)));
            });
            assertThat(ranks.nccl().faults()).isEmpty();
        }
    }

    @Test
    void groupOverTwoCommunicators_isOneGroup_andItsLaunchesAreNoted() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NcclDouble.load(NcclDoubleDialect.NCCL), 2)) {
            List<Long> threads = new ArrayList<>(List.of(0L, 0L));
            ranks.succeed(rank -> {
                threads.set(rank.number(), rank.nccl().thread());
                long child = rank.setup().split(rank.comm(), 0, -rank.number()).comm();
                assertThat(rank.setup().rank(child)).isEqualTo(1 - rank.number());
                fill(rank, NcclType.INT32, 8);
                rank.calls().groupStart();
                rank.calls().allReduce(rank.at(0), rank.at(512), 4, NcclType.INT32, 0, rank.comm(), rank.stream());
                rank.calls().broadcast(rank.at(0), rank.at(1024), 4, NcclType.INT32, 1, child, rank.stream());
                rank.calls().allReduce(rank.at(16), rank.at(1536), 2, NcclType.INT32, 2, rank.comm(), rank.stream());
                rank.calls().groupEnd();
                rank.synchronize();
                assertThat(NcclElements.read(rank.memory(), 1024, NcclType.INT32, 4))
                        .isEqualTo(expected(4, i -> value(0, i)));
                rank.setup().destroy(child);
            });
            for (int i = 0; i < 2; i++) {
                NcclDoubleRanks.Rank rank = ranks.rank(i);
                List<NcclDouble.Launch> own = ranks.nccl().launches().stream()
                        .filter(each -> each.thread() == threads.get(rank.number()))
                        .toList();
                assertThat(own)
                        .hasSize(2)
                        .extracting(NcclDouble.Launch::group)
                        .containsOnly(own.getFirst().group());
                assertThat(own.getFirst())
                        .returns(rank.number(), NcclDouble.Launch::rank)
                        .returns(2, NcclDouble.Launch::calls)
                        .returns(ranks.nccl().name(rank.comm()), NcclDouble.Launch::communicator)
                        .returns(
                                "AllReduce count=4 type=2 op=0;AllReduce count=2 type=2 op=2;",
                                NcclDouble.Launch::text);
                assertThat(own.getLast())
                        .returns(1 - rank.number(), NcclDouble.Launch::rank)
                        .returns("Broadcast count=4 type=2 root=1;", NcclDouble.Launch::text);
            }
            assertThat(ranks.nccl().calls("GroupEnd")).isEqualTo(2);
            assertThat(ranks.nccl().faults()).isEmpty();
        }
    }

    @Test
    void thousandCalls_areOneLaunch() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NcclDouble.load(NcclDoubleDialect.NCCL), 2, 1 << 16)) {
            ranks.succeed(rank -> {
                rank.calls().groupStart();
                for (int i = 0; i < 1000; i++) {
                    rank.calls()
                            .allReduce(
                                    rank.at(8L * i),
                                    rank.at((1 << 15) + 8L * i),
                                    1,
                                    NcclType.FLOAT64,
                                    0,
                                    rank.comm(),
                                    rank.stream());
                }
                rank.calls().groupEnd();
                rank.synchronize();
            });
            assertThat(ranks.nccl().launches())
                    .hasSize(2)
                    .extracting(NcclDouble.Launch::calls)
                    .containsOnly(1000);
            assertThat(ranks.nccl().faults()).isEmpty();
        }
    }

    /** Copies of the library, as processes have them, meet in memory that all share. */
    @Test
    void ranksOfDifferentCopies_meet() {
        NcclDouble first = NcclDouble.load(NcclDoubleDialect.NCCL);
        NcclDouble second = NcclDouble.load(NcclDoubleDialect.NCCL);
        byte[] id = new NcclSetup(first.library()).uniqueId();
        try (NcclDoubleRanks ranks = NcclDoubleRanks.unjoined(first, 1);
                NcclDoubleRanks others = NcclDoubleRanks.unjoined(second, 1)) {
            var later = others.start(0, rank -> sumOf(rank, id, 1));
            ranks.succeed(rank -> sumOf(rank, id, 0));
            assertThat(later).succeedsWithin(Duration.ofSeconds(30)).isNull();
        }
    }

    private static void sumOf(NcclDoubleRanks.Rank rank, byte[] id, int number) {
        long comm = rank.setup().initRank(2, id, number).comm();
        NcclElements.fill(rank.memory(), 0, NcclType.INT64, 3, i -> number + 1 + i);
        rank.calls().allReduce(rank.at(0), rank.at(64), 3, NcclType.INT64, 0, comm, rank.stream());
        rank.synchronize();
        assertThat(NcclElements.read(rank.memory(), 64, NcclType.INT64, 3)).containsExactly(3, 5, 7);
        rank.setup().finalizeComm(comm);
        rank.setup().destroy(comm);
        assertThat(rank.nccl().faults()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(NcclDoubleDialect.class)
    void eachDialect_sums(NcclDoubleDialect dialect) {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NcclDouble.load(dialect), 2)) {
            ranks.succeed(rank -> {
                assertThat(rank.setup().size(rank.comm())).isEqualTo(2);
                assertThat(rank.setup().rank(rank.comm())).isEqualTo(rank.number());
                fill(rank, NcclType.BFLOAT16, 5);
                rank.calls().groupStart();
                rank.calls()
                        .allReduce(
                                rank.at(0),
                                rank.at(ROOM),
                                5,
                                NcclType.BFLOAT16,
                                NcclOperation.SUM.code(),
                                rank.comm(),
                                rank.stream());
                rank.calls().groupEnd();
                rank.synchronize();
                assertThat(result(rank, NcclType.BFLOAT16, 5)).isEqualTo(expected(5, i -> value(0, i) + value(1, i)));
                assertThat(rank.setup().asyncError(rank.comm())).isEqualTo(NcclResult.SUCCESS);
                if (!rank.nccl().library().has(NcclFunction.COMM_ABORT)) {
                    rank.setup().destroy(rank.comm());
                }
            });
            assertThat(ranks.nccl().faults()).isEmpty();
        }
    }
}

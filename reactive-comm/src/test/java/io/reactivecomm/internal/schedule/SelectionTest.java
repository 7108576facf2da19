package io.reactivecomm.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.Bits;
import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.collective.Partitions;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.schedule.choice.Offer;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.schedule.choice.Wish;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SelectionTest {

    private static final int EAGER_BYTES = 64 << 10;
    private static final Selection DEFAULT = Selection.DEFAULT.within(EAGER_BYTES);

    static Stream<Offer> offers() {
        return Example.offers();
    }

    private static Signature signature(Operation operation, DType type, long count, Reduction op) {
        return new Signature(operation, type, count, 0, op);
    }

    private static String name(
            Selection selection, Operation operation, DType type, long count, int size, Reduction op) {
        return name(selection, operation, type, count, Layout.apart(size), op);
    }

    private static String name(
            Selection selection, Operation operation, DType type, long count, Layout layout, Reduction op) {
        return selection
                .algorithm(signature(operation, type, count, op), layout, Bits.RANK_ORDER)
                .name();
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT32, 16384, 2, gather-fold",
        "FLOAT32, 16385, 2, rank-order-direct",
        "FLOAT32, 1365, 3, gather-fold",
        "FLOAT32, 1366, 3, rank-order-direct",
        "INT8, 1024, 16, gather-fold",
        "INT8, 1025, 16, recursive-doubling",
        "UINT8, 2049, 8, recursive-doubling",
        "UINT8, 2341, 7, rank-order-direct",
        "FLOAT32, 257, 16, rank-order-direct",
        "INT8, 65537, 16, rank-order-direct",
        "INT32, 8388608, 32, ring",
        "FLOAT32, 8388608, 32, rank-order-direct",
        "FLOAT64, 1000000, 1, gather-fold",
        "FLOAT32, 0, 257, gather-fold"
    })
    void allReduce_goesByBytesRanksAndAssociativity(DType type, long count, int size, String expected) {
        assertThat(name(DEFAULT, Operation.ALL_REDUCE, type, count, size, ReduceOp.SUM))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT32, 262144, 4, rank-order-chain",
        "FLOAT32, 262143, 4, direct",
        "FLOAT32, 262144, 3, direct",
        "BFLOAT16, 524288, 9, rank-order-chain",
        "INT32, 2048, 16, binomial",
        "INT32, 2048, 15, direct",
        "FLOAT32, 2048, 16, direct"
    })
    void reduce_goesByTheChainWhenLargeAndOnMany(DType type, long count, int size, String expected) {
        assertThat(name(DEFAULT, Operation.REDUCE, type, count, size, ReduceOp.SUM))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT32, 1048576, 4, rank-order-direct",
        "FLOAT32, 1048576, 64, rank-order-direct",
        "FLOAT32, 1048575, 4, direct",
        "FLOAT32, 1048576, 3, direct",
        "INT32, 2048, 16, binomial",
        "INT32, 1048576, 16, rank-order-direct"
    })
    void reduce_withinOneMachine_sharesTheFoldWhenLarge(DType type, long count, int size, String expected) {
        assertThat(name(DEFAULT, Operation.REDUCE, type, count, Layout.together(size), ReduceOp.SUM))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "INT8, 4096, 1, 4, gather-fold",
        "INT8, 4097, 1, 4, staged-gather-fold",
        "FLOAT32, 16384, 1, 2, gather-fold",
        "FLOAT32, 16385, 1, 2, staged-gather-fold",
        "INT8, 262144, 1, 4, staged-gather-fold",
        "INT8, 262145, 1, 4, rank-order-direct",
        "FLOAT32, 87381, 1, 3, staged-gather-fold",
        "FLOAT32, 87382, 1, 3, rank-order-direct",
        "BFLOAT16, 65537, 1, 8, rank-order-direct",
        "INT32, 67108864, 1, 32, rank-order-direct",
        "FLOAT64, 67108864, 1, 1, gather-fold",
        "INT8, 262144, 2, 2, staged-gather-fold",
        "INT8, 262145, 2, 2, hierarchical-direct",
        "INT8, 262145, 4, 1, rank-order-direct"
    })
    void inferenceAllReduce_takesTheFewestStepsThatItsSizeAllows(
            DType type, long count, int hosts, int perHost, String expected) {
        Layout layout = Layout.over(hosts, hosts * perHost);

        assertThat(name(DEFAULT, Operation.INFERENCE_ALL_REDUCE, type, count, layout, ReduceOp.SUM))
                .isEqualTo(expected);
    }

    /** What moves fewest bytes between hosts, which is another for other numbers of them and of ranks, and for partial results of double length. */
    @ParameterizedTest
    @CsvSource({
        "ALL_REDUCE, FLOAT32, 2, 2, hierarchical-chain",
        "ALL_REDUCE, FLOAT32, 3, 2, hierarchical-direct",
        "ALL_REDUCE, FLOAT32, 3, 3, hierarchical-chain",
        "ALL_REDUCE, FLOAT32, 4, 2, hierarchical-chain",
        "ALL_REDUCE, FLOAT32, 2, 1, rank-order-direct",
        "ALL_REDUCE, FLOAT32, 1, 4, rank-order-direct",
        "ALL_REDUCE, BFLOAT16, 2, 2, hierarchical-direct",
        "ALL_REDUCE, BFLOAT16, 2, 3, hierarchical-chain",
        "ALL_REDUCE, BFLOAT16, 4, 3, hierarchical-direct",
        "ALL_REDUCE, BFLOAT16, 5, 3, hierarchical-chain",
        "ALL_REDUCE, BFLOAT16, 4, 4, hierarchical-chain",
        "ALL_REDUCE, INT64, 4, 2, hierarchical-ring",
        "REDUCE, FLOAT32, 2, 2, hierarchical-chain",
        "REDUCE, FLOAT32, 4, 1, rank-order-chain",
        "BROADCAST, FLOAT32, 2, 2, hierarchical-binomial",
        "BROADCAST, FLOAT32, 4, 2, hierarchical-chain",
        "ALL_GATHER, FLOAT32, 2, 2, hierarchical-direct",
        "ALL_GATHER, FLOAT32, 4, 1, direct",
        "REDUCE_SCATTER, FLOAT32, 2, 2, rank-order-direct",
        "REDUCE_SCATTER, FLOAT32, 2, 3, hierarchical-chain",
        "REDUCE_SCATTER, FLOAT32, 4, 2, hierarchical-chain",
        "REDUCE_SCATTER, BFLOAT16, 3, 4, rank-order-direct",
        "REDUCE_SCATTER, BFLOAT16, 4, 4, hierarchical-chain",
        "REDUCE_SCATTER, BFLOAT16, 4, 5, hierarchical-chain",
        "REDUCE_SCATTER, INT8, 2, 2, hierarchical-ring"
    })
    void largeCall_onHosts_goesByWhatMovesFewestBytesBetweenThem(
            Operation operation, DType type, int hosts, int perHost, String expected) {
        Reduction op = operation == Operation.BROADCAST || operation == Operation.ALL_GATHER ? null : ReduceOp.SUM;
        assertThat(name(DEFAULT, operation, type, 1 << 20, Layout.over(hosts, hosts * perHost), op))
                .isEqualTo(expected);
    }

    /** Rows are written by formulas: no row is taken where another algorithm that keeps the bits would move a tenth less between hosts. */
    @ParameterizedTest
    @CsvSource({
        "ALL_REDUCE, FLOAT32",
        "ALL_REDUCE, BFLOAT16",
        "REDUCE, FLOAT32",
        "REDUCE, BFLOAT16",
        "BROADCAST, FLOAT32",
        "ALL_GATHER, INT8",
        "REDUCE_SCATTER, FLOAT32",
        "REDUCE_SCATTER, BFLOAT16"
    })
    void largeCall_onAnyEvenHosts_movesHardlyMoreThanTheBest(Operation operation, DType type) {
        for (int hosts = 2; hosts <= 8; hosts++) {
            for (int perHost = 2; perHost <= 8; perHost++) {
                Layout layout = Layout.over(hosts, hosts * perHost);
                Reduction op =
                        operation == Operation.BROADCAST || operation == Operation.ALL_GATHER ? null : ReduceOp.SUM;
                Signature signature = signature(operation, type, 1 << 20, op);
                long taken = bytes(operation, type, layout, DEFAULT.algorithm(signature, layout, Bits.RANK_ORDER));
                long best = DEFAULT.offers(signature, layout).stream()
                        .filter(offer -> offer.keepsBits(signature))
                        .mapToLong(offer -> bytes(operation, type, layout, offer.algorithm()))
                        .min()
                        .orElseThrow();
                assertThat(taken).as("%s of %s on %s", operation, type, layout).isLessThanOrEqualTo(best + best / 10);
            }
        }
    }

    private static long bytes(Operation operation, DType type, Layout layout, Algorithm algorithm) {
        long count = 1L << 20;
        int size = layout.size();
        Partition whole = Partition.whole(count);
        Partition parts = Partition.even(size, count);
        Partitions partitions = switch (operation) {
            case ALL_GATHER -> new Partitions(whole, parts);
            case REDUCE_SCATTER -> new Partitions(parts, whole);
            default -> new Partitions(whole, whole);
        };
        IntFunction<Place> places = rank -> new Place(rank, layout, 0, partitions);
        return Crossings.of(
                        layout,
                        rank -> algorithm.cost(places.apply(rank)),
                        rank -> algorithm.schedule(places.apply(rank)))
                .mostBytes(type.byteSize(), type.accumulator().byteSize());
    }

    @Test
    void hosts_areThoseOfTheGroup_andBoundARow() {
        Selection table = Selection.parse("broadcast:hosts>=2,hosts<=3=chain");

        assertThat(name(table, Operation.BROADCAST, DType.INT8, 1, Layout.together(9), null))
                .isEqualTo("binomial");
        assertThat(name(table, Operation.BROADCAST, DType.INT8, Signature.UNEVEN, Layout.over(2, 9), null))
                .isEqualTo("chain");
        assertThat(name(
                        table.within(1).with("gather=direct"),
                        Operation.BROADCAST,
                        DType.INT8,
                        1,
                        Layout.over(3, 9),
                        null))
                .isEqualTo("chain");
        assertThat(name(table, Operation.BROADCAST, DType.INT8, 1, Layout.over(4, 9), null))
                .isEqualTo("binomial");
        assertThat(DEFAULT.within(11)
                        .offers(signature(Operation.ALL_REDUCE, DType.INT8, 12, ReduceOp.SUM), Layout.over(2, 2)))
                .extracting(Offer::name)
                .doesNotContain("gather-fold");
    }

    @Test
    void others_goByTheirSizes() {
        assertThat(name(DEFAULT, Operation.BROADCAST, DType.INT8, 1 << 20, 9, null))
                .isEqualTo("binomial");
        assertThat(name(DEFAULT, Operation.BROADCAST, DType.INT8, 1 << 22, 9, null))
                .isEqualTo("chain");
        assertThat(name(DEFAULT, Operation.ALL_GATHER, DType.INT8, 1 << 20, 9, null))
                .isEqualTo("direct");
        assertThat(name(DEFAULT, Operation.ALL_GATHER, DType.INT8, 1 << 20, 32, null))
                .isEqualTo("ring");
        assertThat(name(DEFAULT, Operation.REDUCE_SCATTER, DType.INT8, 1 << 20, 32, ReduceOp.BXOR))
                .isEqualTo("ring");
        assertThat(name(DEFAULT, Operation.REDUCE_SCATTER, DType.FLOAT32, 1 << 20, 32, ReduceOp.SUM))
                .isEqualTo("rank-order-direct");
        assertThat(name(DEFAULT, Operation.ALL_TO_ALL, DType.INT8, 64 * 128, 64, null))
                .isEqualTo("bruck");
        assertThat(name(DEFAULT, Operation.ALL_TO_ALL, DType.INT8, Signature.UNEVEN, 64, null))
                .isEqualTo("direct");
        assertThat(name(DEFAULT, Operation.ALL_TO_ALL, DType.INT8, 32L << 20, 32, null))
                .isEqualTo("pairwise");
        assertThat(name(DEFAULT, Operation.BARRIER, DType.UINT8, 0, 9, null)).isEqualTo("dissemination");
        assertThat(name(DEFAULT, Operation.MONITORED_BARRIER, DType.UINT8, 0, 9, null))
                .isEqualTo("star");
    }

    @Test
    void within_keepsGatherFoldFromTransfersThatNeedAGrant() {
        assertThat(name(Selection.DEFAULT.within(100), Operation.ALL_REDUCE, DType.INT8, 100, 2, ReduceOp.SUM))
                .isEqualTo("gather-fold");
        assertThat(name(Selection.DEFAULT.within(100), Operation.ALL_REDUCE, DType.INT8, 101, 2, ReduceOp.SUM))
                .isEqualTo("rank-order-direct");
    }

    @Test
    void row_ofAnAlgorithmThatReassociates_servesWhatItsBitsSurvive() {
        Selection ring = Selection.DEFAULT.with("all-reduce=ring");
        Selection asked = Selection.DEFAULT.with("all-reduce:reassociate=ring");

        for (DType type : List.of(DType.FLOAT32, DType.BFLOAT16)) {
            for (Reduction op : List.of(ReduceOp.SUM, ReduceOp.AVG, ReduceOp.PRODUCT, new PreMulSum(2))) {
                assertThat(name(ring, Operation.ALL_REDUCE, type, 1 << 20, 8, op))
                        .isEqualTo("rank-order-direct");
                assertThat(name(asked, Operation.ALL_REDUCE, type, 1 << 20, 8, op))
                        .isEqualTo("ring");
            }
            assertThat(name(ring, Operation.ALL_REDUCE, type, 1 << 20, 8, ReduceOp.MAX))
                    .isEqualTo("ring");
        }
        for (Reduction op : List.of(ReduceOp.SUM, ReduceOp.MIN, ReduceOp.BOR)) {
            assertThat(name(ring, Operation.ALL_REDUCE, DType.UINT64, 1 << 20, 8, op))
                    .isEqualTo("ring");
        }
        Signature custom = new Signature(Operation.ALL_REDUCE, DType.INT64, 1 << 20, -1, "custom(SUM)", 0);
        assertThat(ring.algorithm(custom, Layout.apart(8), Bits.RANK_ORDER).name())
                .isEqualTo("rank-order-direct");
    }

    @Test
    void row_servesSeveralTensorsLikeOne() {
        Signature several = new Signature(Operation.ALL_REDUCE, DType.INT32, 1 << 20, -1, "SUM", 77);

        assertThat(Selection.DEFAULT
                        .with("all-reduce=ring")
                        .algorithm(several, Layout.apart(8), Bits.RANK_ORDER)
                        .name())
                .isEqualTo("ring");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "all-reduce:ranks>=4,bytes>=1M=ring | all-reduce:ranks>=4,bytes>=1M=ring",
                "all-reduce : ranks <= 3 , share>=1024 , reassociate = ring | all-reduce:ranks<=3,share>=1K,reassociate=ring",
                "inference-all-reduce:total<=1073741824=gather-fold | inference-all-reduce:total<=1G=gather-fold",
                "broadcast=chain ; ; gather=direct; | broadcast=chain,gather=direct"
            })
    void parse_aTable_printsIt(String text, String expected) {
        Selection table = Selection.parse(text);

        assertThat(table.toString().replace("\n", ",")).isEqualTo(expected);
        assertThat(Selection.parse(table.toString())).hasToString(table.toString());
    }

    @Test
    void toString_ofTheDefault_isReadAgain() {
        assertThat(Selection.parse(Selection.DEFAULT.toString())).hasToString(Selection.DEFAULT.toString());
        assertThat(Selection.DEFAULT.with("")).hasToString(Selection.DEFAULT.toString());
        assertThat(Selection.DEFAULT.with("broadcast=chain").toString().lines()).startsWith("broadcast=chain");
    }

    @Test
    void document_showsTheDefault_andRowsThatCanBeRead() throws IOException {
        String document = Files.readString(Path.of("..", "docs", "algorithms.md"));

        assertThat(document).contains("```\n" + Selection.DEFAULT + "\n```");
        assertThat(
                        Selection.parse(
                                "all-reduce:ranks>=4,bytes>=1M=ring\nall-reduce:bytes>=1M,reassociate=ring; broadcast:share>=64K=chain"))
                .hasToString(document.lines()
                        .dropWhile(line -> !line.equals("all-reduce:ranks>=4,bytes>=1M=ring"))
                        .limit(2)
                        .collect(Collectors.joining("\n"))
                        .replace("; ", "\n"));
        Example.offers().forEach(offer -> assertThat(document).contains("`" + offer.name() + "`"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "all-reduce | it names no algorithm",
                "all-reduce:ranks>=4 | it names no algorithm",
                "all-reduce= | unknown algorithm=;",
                "all-reduce=rung | unknown algorithm=rung; choose rank-order-direct, gather-fold",
                "all-to-none=direct | unknown operation=all-to-none",
                "message=message | unknown operation=message",
                "all-reduce:ranks>4=ring | unknown condition=ranks>4;",
                "all-reduce:ranks>=4,=ring | unknown condition=;",
                "all-reduce:ranks>=x=ring | unknown condition=ranks>=x;",
                "all-reduce:ranks>=-4=ring | unknown condition=ranks>=-4;",
                "all-reduce:bytes>=99999999999=ring | unknown condition=bytes>=99999999999;",
                "all-reduce:bytes>=K=ring | unknown condition=bytes>=K;",
                "all-reduce:bytes>=2T=ring | unknown condition=bytes>=2T;",
                "broadcast=chain;x=y | row=x=y"
            })
    void parse_nonsense_isRefusedByName(String text, String message) {
        assertThatThrownBy(() -> Selection.DEFAULT.with(text))
                .isInstanceOf(RendezvousException.class)
                .hasMessageStartingWith("a row of the choice of algorithms (RCOMM_ALGORITHMS) cannot be read: row=")
                .hasMessageContaining(message);
    }

    @Test
    void algorithm_askedFor_isRunWhateverTheTableSays() {
        try (Tensor tensor = Tensor.of(new float[3], 3)) {
            Collective call = new AllReduce(tensor, tensor, ReduceOp.SUM);
            for (String name :
                    List.of("gather-fold", "rank-order-direct", "staged-gather-fold", "ring", "recursive-doubling")) {
                assertThat(DEFAULT.algorithm(call, Layout.apart(4), new Wish(name, Bits.RANK_ORDER))
                                .name())
                        .isEqualTo(name);
            }
            assertThat(DEFAULT.algorithm(call, Layout.apart(4), Wish.NONE).name())
                    .isEqualTo("gather-fold");
            assertThatThrownBy(() -> DEFAULT.within(11)
                            .algorithm(call, Layout.apart(4), new Wish("gather-fold", Bits.RANK_ORDER)))
                    .isInstanceOf(UnsupportedCollectiveException.class)
                    .hasMessage(
                            "all-reduce cannot run that algorithm: algorithm=gather-fold, call=all-reduce(FLOAT32 × 3, SUM), size=4, hosts=4;"
                                    + " choose rank-order-direct or staged-gather-fold or recursive-doubling or ring or hierarchical-chain"
                                    + " or hierarchical-direct or hierarchical-ring");
        }
    }

    @ParameterizedTest
    @MethodSource("offers")
    void firstOffer_ofEachOperation_servesEveryCall(Offer offer) {
        assertThat(Offer.of(offer.operation()).getFirst().needs()).isEmpty();
    }

    @Test
    void message_hasNothingToChoose() {
        assertThatThrownBy(() -> name(DEFAULT, Operation.MESSAGE, DType.INT8, 1, 2, null))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

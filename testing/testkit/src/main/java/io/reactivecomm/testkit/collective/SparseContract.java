package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.WorldContract;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** The sparse all-reduce: bit for bit what the dense one gives at the rows that any rank has. */
@SuppressWarnings("NullAway") // Nulls are among the wrong arguments.
public abstract class SparseContract extends WorldContract {

    private static final int ROWS = 40;
    private static final long[] ROW = {2, 3};
    private static final int ROW_COUNT = 6;

    final Stream<Arguments> typesAndReductions() {
        return Stream.of(DType.values())
                .flatMap(type -> Stream.<Reduction>of(ReduceOp.SUM, ReduceOp.AVG, new PreMulSum(0.3), new PreMulSum(-2))
                        .filter(op -> op.supports(type))
                        .filter(op -> reduces(op, type))
                        .map(op -> Arguments.of(type, op)));
    }

    private static SparseTensor sparse(GuardedMemory memory, DType type, int rank, int salt, long... indices) {
        Tensor places = memory.tensor(DType.INT64, indices.length);
        for (int i = 0; i < indices.length; i++) {
            Inputs.put(places.segment(), DType.INT64, i, indices[i]);
        }
        Tensor flat = memory.input(type, (long) indices.length * ROW_COUNT, salt, rank);
        return new SparseTensor(places, Tensor.wrap(flat.segment(), type, indices.length, ROW[0], ROW[1]), ROWS);
    }

    /** {@return the dense tensor; repeated rows are folded by the oracle, as if they were ranks} */
    private static Tensor dense(GuardedMemory memory, SparseTensor sparse) {
        DType type = sparse.values().type();
        Tensor dense = memory.tensor(type, (long) ROWS * ROW_COUNT);
        dense.segment().fill((byte) 0);
        long[] indices = sparse.indices().toLongArray();
        for (long row = 0; row < ROWS; row++) {
            long wanted = row;
            int[] parts = LongStream.range(0, indices.length)
                    .filter(i -> indices[(int) i] == wanted)
                    .mapToInt(i -> (int) i)
                    .toArray();
            for (int element = 0; parts.length > 0 && element < ROW_COUNT; element++) {
                long[] bits = new long[parts.length];
                for (int i = 0; i < parts.length; i++) {
                    bits[i] = Inputs.get(sparse.values().segment(), type, (long) parts[i] * ROW_COUNT + element);
                }
                long sum = bits.length == 1 ? bits[0] : Oracle.folded(type, ReduceOp.SUM, bits);
                Inputs.put(dense.segment(), type, row * ROW_COUNT + element, sum);
            }
        }
        return dense;
    }

    /** Reduces both ways and compares. */
    private void requireDense(
            List<ProcessGroup> groups, List<SparseTensor> inputs, Reduction op, GuardedMemory memory) {
        List<Tensor> dense = inputs.stream().map(each -> dense(memory, each)).toList();
        List<SparseTensor> placed = inputs.stream().map(this::placed).toList();
        List<Mono<SparseTensor>> calls = groups.stream()
                .map(group -> group.sparseAllReduce(placed.get(group.rank()), op))
                .toList();
        all(groups, group -> group.allReduce(dense.get(group.rank()), op));
        long[] union = inputs.stream()
                .flatMapToLong(each -> LongStream.of(each.indices().toLongArray()))
                .sorted()
                .distinct()
                .toArray();
        List<SparseTensor> results = values(calls);
        for (SparseTensor result : results) {
            assertThat(result.rows()).isEqualTo(ROWS);
            assertThat(result.indices().toLongArray()).isEqualTo(union);
            assertThat(result.indices().shape()).containsExactly(union.length);
            assertThat(result.values().shape()).containsExactly(union.length, ROW[0], ROW[1]);
            requireRows(result, dense.getFirst(), union);
            result.close();
        }
    }

    /** {@return the same, where the contract's tensors are} */
    private SparseTensor placed(SparseTensor ofHost) {
        Tensor indices = home().copy(ofHost.indices(), home().device(0));
        Tensor values = home().copy(ofHost.values(), home().device(0));
        if (values != ofHost.values()) {
            closedAfterwards(values);
        }
        if (indices != ofHost.indices()) {
            closedAfterwards(indices);
        }
        return new SparseTensor(indices, values, ofHost.rows());
    }

    private Tensor here(Tensor ofHost) {
        return home().take(ofHost, home().device(0));
    }

    private static void requireRows(SparseTensor result, Tensor dense, long... union) {
        DType type = dense.type();
        MemorySegment values = MemorySegment.ofArray(
                result.values().view(DType.UINT8, result.values().byteSize()).toByteArray());
        assertThat(result.values().type()).isEqualTo(type);
        for (int row = 0; row < union.length; row++) {
            for (int element = 0; element < ROW_COUNT; element++) {
                assertThat(Inputs.get(values, type, (long) row * ROW_COUNT + element))
                        .as("bits of row %d, element %d", union[row], element)
                        .isEqualTo(Inputs.get(dense.segment(), type, union[row] * ROW_COUNT + element));
            }
        }
    }

    private static List<SparseTensor> values(List<Mono<SparseTensor>> calls) {
        List<CompletableFuture<SparseTensor>> futures =
                calls.stream().map(Mono::toFuture).toList();
        return futures.stream().map(each -> Mono.fromFuture(each).block(LIMIT)).toList();
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("typesAndReductions")
    void rows_atRandom_haveTheBitsOfTheDenseSum(DType type, Reduction op) {
        for (int size : new int[] {1, 2, 3, 5}) {
            List<ProcessGroup> groups = world(size);
            Random random = new Random(size * 31L + type.ordinal());
            try (GuardedMemory memory = new GuardedMemory()) {
                for (int round = 0; round < 4; round++) {
                    int salt = round;
                    List<SparseTensor> inputs = new ArrayList<>();
                    for (int rank = 0; rank < size; rank++) {
                        long[] indices =
                                random.longs(random.nextInt(2 * ROWS), 0, ROWS).toArray();
                        inputs.add(sparse(memory, type, rank, salt, indices));
                    }
                    requireDense(groups, inputs, op, memory);
                }
            }
        }
    }

    @Test
    void ranks_withoutRows_takePart() {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory()) {
            for (Reduction op : List.of(ReduceOp.SUM, ReduceOp.AVG)) {
                requireDense(
                        groups,
                        List.of(
                                sparse(memory, DType.FLOAT32, 0, 1),
                                sparse(memory, DType.FLOAT32, 1, 1, 39, 0),
                                sparse(memory, DType.FLOAT32, 2, 1)),
                        op,
                        memory);
                requireDense(
                        groups,
                        List.of(
                                sparse(memory, DType.FLOAT32, 0, 1),
                                sparse(memory, DType.FLOAT32, 1, 1),
                                sparse(memory, DType.FLOAT32, 2, 1)),
                        op,
                        memory);
            }
        }
    }

    @Test
    void row_whoseSumIsZero_stays_andZerosHaveTheDenseSign() {
        List<ProcessGroup> groups = world(2);
        List<SparseTensor> inputs = List.of(
                new SparseTensor(
                        here(Tensor.of(new long[] {7, 3, 1})), here(Tensor.of(new float[] {2.5f, -0.0f, -0.0f})), 9),
                new SparseTensor(here(Tensor.of(new long[] {7, 1})), here(Tensor.of(new float[] {-2.5f, -0.0f})), 9));
        for (SparseTensor result : values(groups.stream()
                .map(group -> group.sparseAllReduce(inputs.get(group.rank()), ReduceOp.SUM))
                .toList())) {
            assertThat(result.indices().toLongArray()).containsExactly(1, 3, 7);
            assertThat(result.values().toFloatArray()).containsExactly(-0.0f, 0.0f, 0.0f);
            result.close();
        }
        inputs.forEach(SparseTensor::close);
    }

    @Test
    void manyRows_ofALargeTensor_leaveNoMemoryBehind() {
        List<ProcessGroup> groups = world(2);
        long[] indices =
                LongStream.range(0, 20_000).map(i -> (i * 7_919) % 1_000_003).toArray();
        for (int i = 0; i < 8; i++) {
            SparseTensor large = new SparseTensor(
                    here(Tensor.of(indices)), here(Tensor.allocate(DType.FLOAT32, indices.length, 64)), 1_000_003);
            for (SparseTensor result : values(groups.stream()
                    .map(group -> group.sparseAllReduce(large, ReduceOp.SUM))
                    .toList())) {
                assertThat(result.indices().count()).isEqualTo(20_000);
                result.close();
            }
            large.close();
        }
    }

    @Test
    void cancelledCall_runsOn_andLeavesNoMemoryBehind() {
        List<ProcessGroup> groups = world(2);
        long[] indices = LongStream.range(0, 20_000).toArray();
        SparseTensor large = new SparseTensor(
                here(Tensor.of(indices)), here(Tensor.allocate(DType.FLOAT32, indices.length, 128)), indices.length);
        for (int i = 0; i < 8; i++) {
            groups.get(0).sparseAllReduce(large, ReduceOp.SUM).subscribe().dispose();
            groups.get(1).sparseAllReduce(large, ReduceOp.SUM).block(LIMIT).close();
        }
        Mono.when(large.indices().released(), large.values().released()).block(LIMIT);
        large.close();
    }

    @Test
    void inputs_areBorrowedUntilTheEnd_andNotChanged() {
        List<ProcessGroup> groups = world(2);
        SparseTensor input =
                new SparseTensor(here(Tensor.of(new long[] {2, 0, 2})), here(Tensor.of(new float[] {1, 2, 3})), 3);
        CompletableFuture<SparseTensor> begun =
                groups.get(0).sparseAllReduce(input, ReduceOp.SUM).toFuture();
        CompletableFuture<Void> released =
                Mono.when(input.indices().released(), input.values().released()).toFuture();
        assertThat(released).isNotDone();

        groups.get(1).sparseAllReduce(input, ReduceOp.SUM).block(LIMIT).close();
        Mono.fromFuture(begun).block(LIMIT).close();
        Mono.fromFuture(released).block(LIMIT);
        assertThat(input.indices().toLongArray()).containsExactly(2, 0, 2);
        assertThat(input.values().toFloatArray()).containsExactly(1, 2, 3);
        input.close();
    }

    @Test
    void signal_comesOnALoop_alsoAnError() {
        ProcessGroup group = world(1).getFirst();
        SparseTensor input = rows(3, new float[] {1}, 0);
        List<String> threads = new ArrayList<>();
        Runnable look = () -> threads.add(Thread.currentThread().getName());
        group.sparseAllReduce(input, ReduceOp.SUM)
                .doOnNext(ignored -> look.run())
                .block(LIMIT)
                .close();
        group.sparseAllReduce(input, ReduceOp.MAX)
                .doOnError(ignored -> look.run())
                .onErrorComplete()
                .block(LIMIT);

        assertThat(threads).hasSize(2).allMatch(name -> name.startsWith("rcomm-"));
        input.close();
    }

    /** The mistake of rank 1. */
    public record Wrong(
            String name,
            Function<ProcessGroup, Mono<SparseTensor>> call,
            Class<? extends CommException> type,
            String text) {

        @Override
        public String toString() {
            return name;
        }
    }

    private SparseTensor rows(long rows, float[] values, long... indices) {
        long row = indices.length == 0 ? 1 : values.length / indices.length;
        return new SparseTensor(
                closedAfterwards(here(Tensor.of(indices))),
                closedAfterwards(here(Tensor.of(values, indices.length, row))),
                rows);
    }

    private static Wrong wrong(String name, Function<ProcessGroup, Mono<SparseTensor>> call, String text) {
        return new Wrong(name, call, InvalidCallException.class, text);
    }

    private SparseTensor closed() {
        SparseTensor tensor = rows(3, new float[] {1}, 0);
        tensor.values().close();
        return tensor;
    }

    final Stream<Wrong> wrongOnRankOne() {
        Supplier<Tensor> two = () -> closedAfterwards(here(Tensor.of(new float[] {1, 2})));
        return Stream.of(
                wrong("null", group -> group.sparseAllReduce(null, ReduceOp.SUM), "tensor=null"),
                wrong("null op", group -> group.sparseAllReduce(rows(3, new float[] {1}, 0), null), "op=null"),
                wrong("closed", group -> group.sparseAllReduce(closed(), ReduceOp.SUM), "closed tensor"),
                wrong(
                        "index too large",
                        group -> group.sparseAllReduce(rows(3, new float[] {1}, 3), ReduceOp.SUM),
                        "index=3, rows=3"),
                wrong(
                        "negative index",
                        group -> group.sparseAllReduce(rows(3, new float[] {1}, -1), ReduceOp.SUM),
                        "index=-1"),
                wrong("negative rows", group -> group.sparseAllReduce(rows(-1, new float[0]), ReduceOp.SUM), "rows=-1"),
                wrong(
                        "indices of another type",
                        group -> group.sparseAllReduce(
                                new SparseTensor(closedAfterwards(here(Tensor.of(new int[] {1, 2}))), two.get(), 3),
                                ReduceOp.SUM),
                        "INT32"),
                wrong(
                        "two dimensions of indices",
                        group -> group.sparseAllReduce(
                                new SparseTensor(
                                        closedAfterwards(here(Tensor.of(new long[] {1, 2}, 1, 2))), two.get(), 3),
                                ReduceOp.SUM),
                        "one dimension"),
                wrong(
                        "too few rows",
                        group -> group.sparseAllReduce(
                                new SparseTensor(closedAfterwards(here(Tensor.of(new long[] {1}))), two.get(), 3),
                                ReduceOp.SUM),
                        "not as many rows"),
                new Wrong(
                        "max",
                        group -> group.sparseAllReduce(rows(3, new float[] {1}, 0), ReduceOp.MAX),
                        UnsupportedCollectiveException.class,
                        "op=MAX"),
                new Wrong(
                        "average of integers",
                        group -> group.sparseAllReduce(
                                new SparseTensor(
                                        closedAfterwards(here(Tensor.of(new long[] {1}))),
                                        closedAfterwards(here(Tensor.of(new int[] {1}))),
                                        3),
                                ReduceOp.AVG),
                        UnsupportedCollectiveException.class,
                        "op=AVG"),
                new Wrong(
                        "other rows",
                        group -> group.sparseAllReduce(rows(4, new float[] {1}, 0), ReduceOp.SUM),
                        MismatchException.class,
                        "rows=4"),
                new Wrong(
                        "other row shape",
                        group -> group.sparseAllReduce(rows(3, new float[] {1, 2}, 0), ReduceOp.SUM),
                        MismatchException.class,
                        "2 a row"),
                new Wrong(
                        "other type",
                        group -> group.sparseAllReduce(
                                new SparseTensor(
                                        closedAfterwards(here(Tensor.of(new long[] {1}))),
                                        closedAfterwards(here(Tensor.of(new double[] {1}, 1, 1))),
                                        3),
                                ReduceOp.SUM),
                        MismatchException.class,
                        "FLOAT64"),
                new Wrong(
                        "same size, other row shape",
                        group -> group.sparseAllReduce(
                                new SparseTensor(
                                        closedAfterwards(here(Tensor.of(new long[] {1}))),
                                        closedAfterwards(here(Tensor.of(new float[] {1}))),
                                        3),
                                ReduceOp.SUM),
                        MismatchException.class,
                        "shape="),
                new Wrong(
                        "other op",
                        group -> group.sparseAllReduce(rows(3, new float[] {1}, 0), ReduceOp.AVG),
                        MismatchException.class,
                        "AVG"));
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongOnRankOne")
    void wrongOnOneRank_isToldToAll(Wrong wrong) {
        List<ProcessGroup> groups = world(3);
        SparseTensor right = rows(3, new float[] {5}, 2);
        List<CompletableFuture<SparseTensor>> begun = groups.stream()
                .map(group ->
                        group.rank() == 1 ? wrong.call().apply(group) : group.sparseAllReduce(right, ReduceOp.SUM))
                .map(Mono::toFuture)
                .toList();
        for (CompletableFuture<SparseTensor> each : begun) {
            assertThat(each)
                    .failsWithin(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                    .withThrowableOfType(ExecutionException.class)
                    .havingCause()
                    .isInstanceOf(wrong.type())
                    .withMessageContaining(wrong.text());
        }
        values(groups.stream()
                        .map(group -> group.sparseAllReduce(right, ReduceOp.SUM))
                        .toList())
                .forEach(SparseTensor::close);
        right.close();
    }
}

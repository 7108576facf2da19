package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.Dimension;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.Move;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.testkit.BucketWorld;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The contract of quantised reduce-scatters and all-gathers, over any transport. */
abstract class QuantizedCallsContract extends BucketWorld {

    private static final BlockQuantization INT4 = BlockQuantization.int4();

    /** The end of a call on one rank. */
    private record End(@Nullable Compressed done, @Nullable Throwable error) {}

    private static List<End> ends(List<ProcessGroup> groups, Function<ProcessGroup, Mono<Compressed>> call) {
        return Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(
                        group -> call.apply(group).map(done -> new End(done, null)).onErrorResume(error -> Mono.just(new End(null, error))),
                        groups.size())
                .collectList()
                .block(LIMIT));
    }

    private static List<Compressed> well(List<End> ends) {
        assertThat(ends).allSatisfy(end -> assertThat(end.error()).isNull());
        return ends.stream().map(end -> Objects.requireNonNull(end.done())).toList();
    }

    private List<GroupMesh> meshes(List<ProcessGroup> groups, int hosts) {
        Dimension[] dimensions = {new Dimension("host", hosts), new Dimension("rank", groups.size() / hosts)};
        List<GroupMesh> meshes = Objects.requireNonNull(
                Flux.fromIterable(groups).flatMapSequential(group -> group.mesh(dimensions), groups.size()).collectList().block(LIMIT));
        meshes.forEach(this::kept);
        return meshes;
    }

    private List<Levels> levels(List<ProcessGroup> groups, int hosts) {
        List<GroupMesh> meshes = meshes(groups, hosts);
        return groups.stream()
                .map(group -> new Levels(group, meshes.get(group.rank()).axis("rank"), meshes.get(group.rank()).axis("host")))
                .toList();
    }

    private List<Tensor> inputs(DType type, int ranks, long... shape) {
        return IntStream.range(0, ranks).mapToObj(rank -> kept(home().take(random(type, rank, shape), home().device(0)))).toList();
    }

    private List<Tensor> outputs(DType type, int ranks, long count) {
        return IntStream.range(0, ranks).mapToObj(rank -> kept(home().take(Tensor.allocate(type, count), home().device(0)))).toList();
    }

    private static Tensor random(DType type, int seed, long... shape) {
        Tensor tensor = Tensor.allocate(type, shape);
        float[] numbers = new float[(int) tensor.count()];
        Random dice = new Random(seed);
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) dice.nextGaussian();
        }
        try (Tensor floats = Tensor.of(numbers)) {
            HostMoves.run(List.of(Move.copy(floats, tensor)));
        }
        return tensor;
    }

    private static List<End> reduceScatter(
            List<Levels> levels, List<BlockQuantization> codecs, List<Tensor> tensors, List<Tensor> outputs, Reduction op) {
        return ends(
                levels.stream().map(Levels::world).toList(),
                group -> QuantizedReduceScatter.of(codecs.get(group.rank() % codecs.size()))
                        .reduceScatter(levels.get(group.rank()), tensors.get(group.rank()), outputs.get(group.rank()), op));
    }

    static Stream<Arguments> worlds() {
        return Stream.of(
                Arguments.of(2, 2, INT4, DType.FLOAT32, ReduceOp.AVG),
                Arguments.of(2, 3, INT4, DType.FLOAT32, ReduceOp.SUM),
                Arguments.of(1, 2, INT4, DType.FLOAT32, ReduceOp.AVG),
                Arguments.of(2, 1, INT4, DType.FLOAT64, ReduceOp.AVG),
                Arguments.of(1, 1, INT4, DType.FLOAT32, new PreMulSum(0.3)),
                Arguments.of(2, 2, BlockQuantization.int8(), DType.BFLOAT16, ReduceOp.AVG),
                Arguments.of(2, 2, new BlockQuantization(4, 7), DType.FLOAT16, new PreMulSum(0.3)));
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void shards_haveTheBitsOfASequentialLoop_andAreNearTheSum(int hosts, int ranksOfHost, BlockQuantization codec, DType type, Reduction op) {
        int ranks = hosts * ranksOfHost;
        List<ProcessGroup> groups = world(ranks);
        List<Tensor> tensors = inputs(type, ranks, 2L * ranks, 51);
        List<Tensor> outputs = outputs(type, ranks, 102);
        assertThat(well(reduceScatter(levels(groups, hosts), List.of(codec), tensors, outputs, op))).allSatisfy(done -> assertThat(done.isCompressed()).isTrue());
        double weight = op == ReduceOp.AVG ? 1.0 / ranks : op instanceof PreMulSum scaled ? scaled.factor() : 1;
        List<double[]> given = tensors.stream().map(Tensor::toDoubleArray).toList();
        for (int rank = 0; rank < ranks; rank++) {
            double[] result = outputs.get(rank).toDoubleArray();
            try (SequentialLevels expected = new SequentialLevels(codec, type, hosts, ranksOfHost, weight)) {
                assertThat(result).as("rank %d", rank).isEqualTo(expected.shard(given, rank));
            }
            requireNear(result, given, rank, weight, codec.errorBound() * 2.1 * ranks * (weight + 1.0 / ranks));
        }
    }

    /** The largest element has a magnitude of less than 4.5, and its error is that of both levels. */
    private static void requireNear(double[] shard, List<double[]> given, int rank, double weight, double bound) {
        double largest = given.stream().flatMapToDouble(Arrays::stream).map(Math::abs).max().orElseThrow();
        for (int i = 0; i < shard.length; i++) {
            int at = rank * shard.length + i;
            double sum = weight * given.stream().mapToDouble(each -> each[at]).sum();
            assertThat(Math.abs(shard[i] - sum)).as("element %d", at).isLessThan(bound * largest);
        }
    }

    @Test
    void tensorsOfOneDimension_andCountsThatDoNotDivide_goUncompressed() {
        List<ProcessGroup> groups = world(4);
        List<Levels> levels = levels(groups, 2);
        for (long[] shape : new long[][] {{32}, {3, 4}, {0, 4}}) {
            List<Tensor> tensors = inputs(DType.FLOAT32, 4, shape);
            long count = tensors.getFirst().count() / 4;
            List<Tensor> outputs = outputs(DType.FLOAT32, 4, count);
            List<Tensor> plain = outputs(DType.FLOAT32, 4, count);
            all(groups, group -> group.reduceScatter(tensors.get(group.rank()), plain.get(group.rank()), ReduceOp.AVG));
            assertThat(well(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.AVG))).containsOnly(new Compressed(0, false, 0));
            for (int rank = 0; rank < 4; rank++) {
                assertThat(outputs.get(rank).toFloatArray()).isEqualTo(plain.get(rank).toFloatArray());
            }
        }
    }

    @Test
    void bytesSent_areThoseOfTheArithmetic() {
        List<ProcessGroup> groups = world(4);
        List<Tensor> outputs = outputs(DType.FLOAT32, 4, 512);
        List<End> ends = reduceScatter(levels(groups, 2), List.of(INT4), inputs(DType.FLOAT32, 4, 4, 512), outputs, ReduceOp.AVG);
        // Two blocks of 128 bytes and their scales for each chunk: two chunks to the other rank of the host, one to the other host.
        assertThat(well(ends)).containsOnly(new Compressed(0, true, 3 * 2 * (128 + 8)));
    }

    @Test
    void outputThatIsThePartOfTheInput_isWrittenLast() {
        List<ProcessGroup> groups = world(4);
        List<Levels> levels = levels(groups, 2);
        List<Tensor> tensors = inputs(DType.FLOAT32, 4, 8, 11);
        List<Tensor> outputs = outputs(DType.FLOAT32, 4, 22);
        well(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.SUM));
        List<Tensor> inPlace = IntStream.range(0, 4).mapToObj(rank -> tensors.get(rank).slice(22L * rank, 22)).toList();
        well(reduceScatter(levels, List.of(INT4), tensors, inPlace, ReduceOp.SUM));
        for (int rank = 0; rank < 4; rank++) {
            assertThat(inPlace.get(rank).toFloatArray()).isEqualTo(outputs.get(rank).toFloatArray());
        }
    }

    @Test
    void errorsOfOneRank_areErrorsOfAll_andTheNextCallIsRight() {
        List<ProcessGroup> groups = world(2);
        List<Levels> levels = levels(groups, 1);
        List<Tensor> tensors = new ArrayList<>(inputs(DType.FLOAT32, 2, 4, 3));
        List<Tensor> outputs = new ArrayList<>(outputs(DType.FLOAT32, 2, 6));
        Tensor right = outputs.set(1, outputs(DType.FLOAT32, 1, 5).getFirst());
        assertThat(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(InvalidCallException.class).hasMessageContaining("no shard of its input"));
        outputs.set(1, right);
        assertThat(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.MAX))
                .allSatisfy(end -> assertThat(end.error()).hasMessageContaining("encoded elements are added up"));
        well(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.SUM));
        assertThat(reduceScatter(levels, List.of(INT4, BlockQuantization.int8()), tensors, outputs, ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(MismatchException.class).hasMessageContaining("int8"));
        tensors.getFirst().close();
        assertThat(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(InvalidCallException.class));
    }

    @Test
    void groupsThatAreNotTheLevels_areRefused() {
        List<ProcessGroup> groups = world(4);
        List<GroupMesh> meshes = meshes(groups, 2);
        for (ProcessGroup group : groups) {
            GroupMesh mesh = meshes.get(group.rank());
            assertThatThrownBy(() -> new Levels(group, mesh.axis("host"), mesh.axis("rank")))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContainingAll("world=[0, 1, 2, 3]", "host by host");
            assertThatThrownBy(() -> new Levels(group, mesh.axis("rank"), group)).isInstanceOf(InvalidCallException.class);
        }
    }

    static Stream<Arguments> gathers() {
        return Stream.of(
                Arguments.of(BlockQuantization.int8(), DType.FLOAT32, 1001),
                Arguments.of(BlockQuantization.int8(), DType.BFLOAT16, 1),
                Arguments.of(INT4, DType.FLOAT64, 77),
                Arguments.of(INT4, DType.FLOAT16, 0));
    }

    @ParameterizedTest
    @MethodSource("gathers")
    void gatheredShards_areWhatTheCodecMakesOfThem_onAllRanks(BlockQuantization codec, DType type, int count) {
        List<ProcessGroup> groups = world(3);
        List<Tensor> shards = inputs(type, 3, count);
        List<Tensor> outputs = outputs(type, 3, 3L * count);
        QuantizedAllGather gather = QuantizedAllGather.of(codec);
        List<End> ends = ends(groups, group -> gather.allGather(group, shards.get(group.rank()), outputs.get(group.rank())));
        assertThat(well(ends)).containsOnly(new Compressed(0, true, 2 * codec.maxEncodedBytes(count)));
        double[] expected = shards.stream().flatMapToDouble(shard -> Arrays.stream(quantized(codec, type, shard.toDoubleArray()))).toArray();
        assertThat(outputs).allSatisfy(each -> assertThat(each.toDoubleArray()).isEqualTo(expected));
        List<Tensor> inPlace = IntStream.range(0, 3).mapToObj(rank -> outputs.get(rank).slice((long) rank * count, count)).toList();
        for (int rank = 0; rank < 3; rank++) {
            groups.get(rank).move(List.of(Move.copy(shards.get(rank), inPlace.get(rank)))).completed().block(LIMIT);
        }
        well(ends(groups, group -> gather.allGather(group, inPlace.get(group.rank()), outputs.get(group.rank()))));
        assertThat(outputs).allSatisfy(each -> assertThat(each.toDoubleArray()).isEqualTo(expected));
        List<Tensor> another = outputs(type, 3, 3L * count + 1);
        assertThat(ends(groups, group -> gather.allGather(group, shards.get(group.rank()), another.get(group.rank()))))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(InvalidCallException.class).hasMessageContaining("does not fit all shards"));
    }

    private static double[] quantized(BlockQuantization codec, DType type, double[] numbers) {
        try (Tensor exact = Tensor.of(numbers);
                Tensor values = Tensor.allocate(type, numbers.length);
                Tensor encoded = Tensor.allocate(DType.UINT8, codec.maxEncodedBytes(numbers.length))) {
            HostMoves.run(List.of(Move.copy(exact, values)));
            codec.encode(values, 1, encoded, new long[1]);
            codec.decode(encoded, values);
            return values.toDoubleArray();
        }
    }
}

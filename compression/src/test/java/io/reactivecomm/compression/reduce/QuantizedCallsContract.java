package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Dimension;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.testkit.train.BucketWorld;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** The contract of quantised reduce-scatters and all-gathers, over any transport: a case of each kind. {@link QuantizedMatrixContract} has more of them. */
abstract class QuantizedCallsContract extends BucketWorld {

    static final BlockQuantization INT4 = BlockQuantization.int4();

    static List<Compressed> well(List<End> ends) {
        assertThat(ends).allSatisfy(end -> assertThat(end.error()).isNull());
        return ends.stream().map(end -> Objects.requireNonNull(end.done())).toList();
    }

    List<GroupMesh> meshes(List<ProcessGroup> groups, int hosts) {
        Dimension[] dimensions = {new Dimension("host", hosts), new Dimension("rank", groups.size() / hosts)};
        List<GroupMesh> meshes = Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(group -> group.mesh(dimensions), groups.size())
                .collectList()
                .block(LIMIT));
        meshes.forEach(this::kept);
        return meshes;
    }

    List<Levels> levels(List<ProcessGroup> groups, int hosts) {
        List<GroupMesh> meshes = meshes(groups, hosts);
        return groups.stream()
                .map(group -> new Levels(
                        group,
                        meshes.get(group.rank()).axis("rank"),
                        meshes.get(group.rank()).axis("host")))
                .toList();
    }

    List<Tensor> inputs(DType type, int ranks, long... shape) {
        return IntStream.range(0, ranks)
                .mapToObj(rank -> kept(home().take(random(type, rank, shape), home().device(0))))
                .toList();
    }

    List<Tensor> outputs(DType type, int ranks, long count) {
        return IntStream.range(0, ranks)
                .mapToObj(rank -> kept(home().take(Tensor.allocate(type, count), home().device(0))))
                .toList();
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

    static List<End> reduceScatter(
            List<Levels> levels,
            List<BlockQuantization> codecs,
            List<Tensor> tensors,
            List<Tensor> outputs,
            Reduction op) {
        return End.ofAll(
                levels.stream().map(Levels::world).toList(),
                LIMIT,
                group -> QuantizedReduceScatter.of(codecs.get(group.rank() % codecs.size()))
                        .reduceScatter(
                                levels.get(group.rank()), tensors.get(group.rank()), outputs.get(group.rank()), op));
    }

    @Tag("smoke")
    @Test
    void shards_haveTheBitsOfASequentialLoop_andAreNearTheSum() {
        requireShards(2, 2, BlockQuantization.int8(), DType.BFLOAT16, ReduceOp.AVG);
    }

    /** Requires shards that have the bits of a sequential loop, and are near the sum. */
    final void requireShards(int hosts, int ranksOfHost, BlockQuantization codec, DType type, Reduction op) {
        int ranks = hosts * ranksOfHost;
        List<ProcessGroup> groups = world(ranks);
        List<Tensor> tensors = inputs(type, ranks, 2L * ranks, 51);
        List<Tensor> outputs = outputs(type, ranks, 102);
        assertThat(well(reduceScatter(levels(groups, hosts), List.of(codec), tensors, outputs, op)))
                .allSatisfy(done -> assertThat(done.isCompressed()).isTrue());
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
        double largest = given.stream()
                .flatMapToDouble(Arrays::stream)
                .map(Math::abs)
                .max()
                .orElseThrow();
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
            assertThat(well(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.AVG)))
                    .containsOnly(new Compressed(0, false, 0));
            for (int rank = 0; rank < 4; rank++) {
                assertThat(outputs.get(rank).toFloatArray())
                        .isEqualTo(plain.get(rank).toFloatArray());
            }
        }
    }

    /** Of one dimension, too, which goes uncompressed. */
    @Test
    void elementThatIsNotFinite_showsOnAllRanks_inTheirShardsAndInWhatIsSaid() {
        List<Levels> levels = levels(world(4), 2);
        for (long[] shape : new long[][] {{8, 4}, {32}}) {
            List<Tensor> tensors = inputs(DType.FLOAT16, 4, shape);
            List<Tensor> outputs = outputs(DType.FLOAT16, 4, 8);
            try (Tensor bad = Tensor.of(new float[] {Float.POSITIVE_INFINITY})) {
                levels.get(2)
                        .world()
                        .move(List.of(Move.copy(bad, tensors.get(2).slice(1, 1))))
                        .completed()
                        .block(LIMIT);
            }
            assertThat(well(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.AVG)))
                    .allSatisfy(done -> {
                        assertThat(done.isFinite()).isFalse();
                        assertThat(done.isCompressed()).isEqualTo(shape.length > 1);
                    });
            assertThat(outputs)
                    .allSatisfy(each -> assertThat(each.toDoubleArray()).containsOnly(Double.NaN));
        }
    }

    @Test
    void gatheredShard_thatIsNotFinite_isSaidOnAllRanks() {
        List<ProcessGroup> groups = world(2);
        List<Tensor> shards = inputs(DType.FLOAT32, 2, 10);
        List<Tensor> outputs = outputs(DType.FLOAT32, 2, 20);
        try (Tensor bad = Tensor.of(new float[] {Float.NaN})) {
            groups.getLast()
                    .move(List.of(Move.copy(bad, shards.getLast().slice(9, 1))))
                    .completed()
                    .block(LIMIT);
        }
        assertThat(well(End.ofAll(
                        groups,
                        LIMIT,
                        group -> QuantizedAllGather.of(INT4)
                                .allGather(group, shards.get(group.rank()), outputs.get(group.rank())))))
                .allSatisfy(done -> assertThat(done.isFinite()).isFalse());
    }

    @Test
    void errorsOfOneRank_areErrorsOfAll_andTheNextCallIsRight() {
        List<ProcessGroup> groups = world(2);
        List<Levels> levels = levels(groups, 1);
        List<Tensor> tensors = new ArrayList<>(inputs(DType.FLOAT32, 2, 4, 3));
        List<Tensor> outputs = new ArrayList<>(outputs(DType.FLOAT32, 2, 6));
        Tensor right = outputs.set(1, outputs(DType.FLOAT32, 1, 5).getFirst());
        assertThat(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("no shard of its input"));
        outputs.set(1, right);
        assertThat(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.MAX))
                .allSatisfy(end -> assertThat(end.error()).hasMessageContaining("encoded elements are added up"));
        well(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.SUM));
        assertThat(reduceScatter(levels, List.of(INT4, BlockQuantization.int8()), tensors, outputs, ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(MismatchException.class)
                        .hasMessageContaining("int8"));
        tensors.getFirst().close();
        assertThat(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(InvalidCallException.class));
    }

    @Test
    void gatheredShards_areWhatTheCodecMakesOfThem() {
        requireGathered(INT4, DType.FLOAT32, 77);
    }

    /** Requires, on all ranks, what the codec makes of all shards. */
    final void requireGathered(BlockQuantization codec, DType type, int count) {
        List<ProcessGroup> groups = world(3);
        List<Tensor> shards = inputs(type, 3, count);
        List<Tensor> outputs = outputs(type, 3, 3L * count);
        QuantizedAllGather gather = QuantizedAllGather.of(codec);
        List<End> ends = End.ofAll(
                groups, LIMIT, group -> gather.allGather(group, shards.get(group.rank()), outputs.get(group.rank())));
        assertThat(well(ends)).containsOnly(new Compressed(0, true, 2 * codec.maxEncodedBytes(count)));
        double[] expected = shards.stream()
                .flatMapToDouble(shard -> Arrays.stream(quantized(codec, type, shard.toDoubleArray())))
                .toArray();
        assertThat(outputs).allSatisfy(each -> assertThat(each.toDoubleArray()).isEqualTo(expected));
        List<Tensor> inPlace = IntStream.range(0, 3)
                .mapToObj(rank -> outputs.get(rank).slice((long) rank * count, count))
                .toList();
        for (int rank = 0; rank < 3; rank++) {
            groups.get(rank)
                    .move(List.of(Move.copy(shards.get(rank), inPlace.get(rank))))
                    .completed()
                    .block(LIMIT);
        }
        well(End.ofAll(
                groups, LIMIT, group -> gather.allGather(group, inPlace.get(group.rank()), outputs.get(group.rank()))));
        assertThat(outputs).allSatisfy(each -> assertThat(each.toDoubleArray()).isEqualTo(expected));
        List<Tensor> another = outputs(type, 3, 3L * count + 1);
        assertThat(End.ofAll(
                        groups,
                        LIMIT,
                        group -> gather.allGather(group, shards.get(group.rank()), another.get(group.rank()))))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("does not fit all shards"));
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

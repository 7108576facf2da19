package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Dimension;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.testkit.train.BucketWorld;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

/** The contract of LoCo's reduce-scatter, over any transport. */
abstract class LoCoContract extends BucketWorld {

    private static final BlockQuantization INT4 = BlockQuantization.int4();
    private static final int SHARD = 30;

    private List<Levels> levels(List<ProcessGroup> groups, int hosts) {
        Dimension[] dimensions = {new Dimension("host", hosts), new Dimension("rank", groups.size() / hosts)};
        List<GroupMesh> meshes = Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(group -> group.mesh(dimensions), groups.size())
                .collectList()
                .block(LIMIT));
        meshes.forEach(this::kept);
        return groups.stream()
                .map(group -> new Levels(
                        group,
                        meshes.get(group.rank()).axis("rank"),
                        meshes.get(group.rank()).axis("host")))
                .toList();
    }

    private List<LoCoReduceScatter> reductions(int ranks, LoCoOptions options) {
        return IntStream.range(0, ranks)
                .mapToObj(rank -> kept(LoCoReduceScatter.of(INT4, options)))
                .toList();
    }

    private List<float[]> inputs(int ranks, int seed) {
        return IntStream.range(0, ranks)
                .mapToObj(rank -> {
                    Random dice = new Random(31L * seed + rank);
                    float[] numbers = new float[ranks * SHARD];
                    for (int i = 0; i < numbers.length; i++) {
                        numbers[i] = (float) dice.nextGaussian();
                    }
                    return numbers;
                })
                .toList();
    }

    /** {@return what a step has left on each rank} */
    private List<float[]> step(
            List<Levels> levels, List<LoCoReduceScatter> reductions, List<float[]> inputs, int firstDimension) {
        return Objects.requireNonNull(Flux.fromIterable(levels)
                .flatMapSequential(
                        of -> {
                            ProcessGroup group = of.world();
                            float[] own = inputs.get(group.rank());
                            long[] shape = firstDimension == 0
                                    ? new long[] {own.length}
                                    : new long[] {firstDimension, own.length / firstDimension};
                            Tensor tensor = kept(Tensor.of(own, shape));
                            Tensor output = kept(Tensor.allocate(DType.FLOAT32, own.length / levels.size()));
                            return reductions
                                    .get(group.rank())
                                    .reduceScatter("x", of, tensor, output, ReduceOp.AVG)
                                    .map(done -> output.toFloatArray());
                        },
                        levels.size())
                .collectList()
                .block(LIMIT));
    }

    @Tag("smoke")
    @ParameterizedTest
    @CsvSource({"2, 2", "1, 2", "2, 1"})
    void steps_haveTheBitsOfASequentialLoop_alsoAfterErrorsBeginAnew(int hosts, int ranksOfHost) {
        int ranks = hosts * ranksOfHost;
        LoCoOptions options = LoCoOptions.DEFAULT.withResetSteps(3);
        List<ProcessGroup> groups = world(ranks);
        List<Levels> levels = levels(groups, hosts);
        List<LoCoReduceScatter> reductions = reductions(ranks, options);
        List<SequentialLoCo> expected = IntStream.range(0, ranks)
                .mapToObj(rank -> kept(new SequentialLoCo(INT4, options, hosts, ranksOfHost, rank, SHARD)))
                .toList();
        for (int i = 0; i < 5; i++) {
            List<float[]> inputs = inputs(ranks, i);
            List<float[]> shards = step(levels, reductions, inputs, 2);
            for (int rank = 0; rank < ranks; rank++) {
                assertThat(shards.get(rank))
                        .as("rank %d, step %d", rank, i)
                        .isEqualTo(expected.get(rank).step(inputs));
            }
        }
    }

    /** The bad element is in the chunk of one rank: the shards of others would not show it. */
    @ParameterizedTest
    @CsvSource({"2, 2", "1, 2", "2, 1"})
    void step_thatIsNotFinite_makesAllShardsNaN_andLeavesTheStatesAsTheyWere(int hosts, int ranksOfHost) {
        int ranks = hosts * ranksOfHost;
        List<Levels> levels = levels(world(ranks), hosts);
        LoCoOptions options = LoCoOptions.DEFAULT.withResetSteps(3);
        List<LoCoReduceScatter> reductions = reductions(ranks, options);
        List<LoCoReduceScatter> undisturbed = reductions(ranks, options);
        for (int i = 0; i < 5; i++) {
            List<CompressionSnapshot> before =
                    reductions.stream().map(each -> each.state().snapshot()).toList();
            List<float[]> bad = inputs(ranks, 99);
            bad.getLast()[3] = i % 2 == 0 ? Float.NaN : Float.NEGATIVE_INFINITY;
            assertThat(step(levels, reductions, bad, 2))
                    .allSatisfy(shard -> assertThat(shard).containsOnly(Float.NaN));
            for (int rank = 0; rank < ranks; rank++) {
                assertThat(reductions.get(rank).state().snapshot()).isEqualTo(before.get(rank));
                assertThat(reductions.get(rank).state().nonFinite()).containsExactly("x");
            }
            List<float[]> expected = step(levels, undisturbed, inputs(ranks, i), 2);
            assertThat(step(levels, reductions, inputs(ranks, i), 2))
                    .usingRecursiveComparison()
                    .isEqualTo(expected);
        }
    }

    /** A tensor of one dimension goes uncompressed and has no state. */
    @Test
    void stepOfOneDimension_isAlsoNamed_ifItIsNotFinite_untilOneIs() {
        List<Levels> levels = levels(world(2), 1);
        List<LoCoReduceScatter> reductions = reductions(2, LoCoOptions.DEFAULT);
        List<float[]> bad = inputs(2, 1);
        bad.getLast()[3] = Float.NaN;
        step(levels, reductions, bad, 0);
        assertThat(reductions)
                .allSatisfy(each -> assertThat(each.state().nonFinite()).containsExactly("x"));
        step(levels, reductions, inputs(2, 2), 0);
        assertThat(reductions)
                .allSatisfy(each -> assertThat(each.state().nonFinite()).isEmpty());
    }

    /** There is nothing to take back, and not the step before it. */
    @Test
    void undo_ofAStepOfOneDimension_changesNothing() {
        List<Levels> levels = levels(world(2), 1);
        List<LoCoReduceScatter> reductions = reductions(2, LoCoOptions.DEFAULT);
        step(levels, reductions, inputs(2, 1), 0);
        reductions.forEach(each -> each.state().undo("x"));
        step(levels, reductions, inputs(2, 2), 2);
        List<CompressionSnapshot> before =
                reductions.stream().map(each -> each.state().snapshot()).toList();
        step(levels, reductions, inputs(2, 3), 0);
        reductions.forEach(each -> each.state().undo("x"));
        assertThat(reductions).extracting(each -> each.state().snapshot()).isEqualTo(before);
        step(levels, reductions, inputs(2, 4), 2);
        reductions.forEach(each -> each.state().undo("x"));
        assertThat(reductions).extracting(each -> each.state().snapshot()).isEqualTo(before);
    }

    @Test
    void whatIsLost_comesBackInTheLongRun() {
        List<ProcessGroup> groups = world(2);
        List<Levels> levels = levels(groups, 1);
        double first = missing(levels, 1);
        // Without feedback, forty steps of the same gradients would miss forty times as much as one.
        assertThat(missing(levels, 40)).isLessThan(10 * first);
    }

    /** {@return how far the sum of so many steps of the same inputs is from that of the inputs} */
    private double missing(List<Levels> levels, int steps) {
        List<LoCoReduceScatter> reductions = reductions(2, LoCoOptions.DEFAULT);
        List<float[]> inputs = inputs(2, 7);
        double[] missing = new double[SHARD];
        for (int i = 0; i < steps; i++) {
            float[] shard = step(levels, reductions, inputs, 2).getFirst();
            for (int j = 0; j < SHARD; j++) {
                missing[j] += (inputs.get(0)[j] + inputs.get(1)[j]) / 2.0 - shard[j];
            }
        }
        return Math.sqrt(IntStream.range(0, SHARD)
                .mapToDouble(j -> missing[j] * missing[j])
                .sum());
    }

    @Test
    void snapshots_goOnWhereTheyWereTaken() {
        List<Levels> levels = levels(world(2), 1);
        List<LoCoReduceScatter> reductions = reductions(2, LoCoOptions.DEFAULT);
        List<LoCoReduceScatter> others = reductions(2, LoCoOptions.DEFAULT);
        step(levels, reductions, inputs(2, 1), 2);
        step(levels, reductions, inputs(2, 2), 2);
        for (int rank = 0; rank < 2; rank++) {
            others.get(rank)
                    .state()
                    .restore(CompressionSnapshot.of(
                            reductions.get(rank).state().snapshot().toBytes()));
        }
        assertThat(step(levels, others, inputs(2, 3), 2))
                .usingRecursiveComparison()
                .isEqualTo(step(levels, reductions, inputs(2, 3), 2));
        assertThat(others).allSatisfy(each -> assertThat(each.state().step("x")).isEqualTo(3));
    }

    @Test
    void whatGoesUncompressed_hasNoState() {
        List<Levels> levels = levels(world(2), 1);
        List<LoCoReduceScatter> reductions = reductions(2, LoCoOptions.DEFAULT);
        List<float[]> inputs = inputs(2, 1);
        assertThat(step(levels, reductions, inputs, 0).getFirst()[0])
                .isEqualTo((inputs.get(0)[0] + inputs.get(1)[0]) / 2);
        assertThat(reductions)
                .allSatisfy(each -> assertThat(each.state().names()).isEmpty());
    }
}

package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.Move;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.lowrank.LowRankPlan;
import io.reactivecomm.compression.internal.lowrank.PowerSgdStep;
import io.reactivecomm.compression.internal.state.NamedState;
import io.reactivecomm.compression.internal.state.StateShape;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.testkit.BucketWorld;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The contract of PowerSGD, over any transport. */
abstract class PowerSgdContract extends BucketWorld {

    private static final PowerSgdOptions AT_ONCE = PowerSgdOptions.DEFAULT.withStartStep(0);
    private static final int ROWS = 12;
    private static final int COLUMNS = 20;

    private List<PowerSgd> reductions(int ranks, PowerSgdOptions options) {
        return IntStream.range(0, ranks).mapToObj(rank -> kept(PowerSgd.of(options))).toList();
    }

    private List<Tensor> inputs(DType type, int ranks, int seed, long... shape) {
        return IntStream.range(0, ranks).mapToObj(rank -> kept(random(type, 31 * seed + rank, shape))).toList();
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

    private static float[][] elements(List<Tensor> tensors) {
        return tensors.stream().map(Tensor::toFloatArray).toArray(float[][]::new);
    }

    private static List<Throwable> errors(List<ProcessGroup> groups, List<PowerSgd> reductions, List<Tensor> tensors, Reduction op) {
        return Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(
                        group -> reductions.get(group.rank())
                                .allReduce(group, "x", tensors.get(group.rank()), op)
                                .flatMap(done -> Mono.<Throwable>empty())
                                .onErrorResume(Mono::just),
                        groups.size())
                .collectList()
                .block(LIMIT));
    }

    /** Does a step on all ranks and requires the same bits on all. {@return what has come out} */
    private static float[] step(List<ProcessGroup> groups, List<PowerSgd> reductions, List<Tensor> tensors, Reduction op) {
        assertThat(errors(groups, reductions, tensors, op)).isEmpty();
        byte[] bits = bytes(tensors.getFirst());
        assertThat(tensors).allSatisfy(each -> assertThat(bytes(each)).isEqualTo(bits));
        return tensors.getFirst().toFloatArray();
    }

    private static void requireNear(float[] actual, double[] expected, double distance) {
        assertThat(actual).hasSize(expected.length);
        for (int i = 0; i < actual.length; i++) {
            assertThat((double) actual[i]).as("element %d", i).isCloseTo(expected[i], within(distance));
        }
    }

    static Stream<Arguments> optionsTypesAndReductions() {
        return Stream.of(
                Arguments.of(AT_ONCE, DType.FLOAT32, ReduceOp.AVG),
                Arguments.of(AT_ONCE.withRank(3).withSeed(7), DType.FLOAT32, ReduceOp.SUM),
                Arguments.of(AT_ONCE.withRank(2).withWarmStart(false), DType.FLOAT32, new PreMulSum(0.3)),
                Arguments.of(AT_ONCE.withRank(2).withFeedback(false), DType.FLOAT32, ReduceOp.AVG),
                Arguments.of(AT_ONCE, DType.BFLOAT16, ReduceOp.AVG),
                Arguments.of(AT_ONCE.withFeedback(false), DType.FLOAT16, ReduceOp.AVG));
    }

    @ParameterizedTest
    @MethodSource("optionsTypesAndReductions")
    void steps_areThoseOfASequentialLoop_withTheSameBitsOnAllRanks(PowerSgdOptions options, DType type, Reduction op) {
        List<ProcessGroup> groups = world(3);
        List<PowerSgd> reductions = reductions(3, options.withLeastRate(1));
        SequentialPowerSgd expected = new SequentialPowerSgd(options, ROWS, COLUMNS, 3);
        double weight = op == ReduceOp.AVG ? 1.0 / 3 : op instanceof PreMulSum scaled ? scaled.factor() : 1;
        for (int i = 0; i < 4; i++) {
            List<Tensor> tensors = inputs(type, 3, i, ROWS, COLUMNS);
            double[] sum = expected.step(elements(tensors), weight);
            double largest = Arrays.stream(sum).map(Math::abs).max().orElseThrow();
            double rounding = type == DType.FLOAT32 ? 1e-4 : 0x1p-7;
            requireNear(step(groups, reductions, tensors, op), sum, largest * rounding);
        }
    }

    @Test
    void matrixOfSoLowARank_isItselfAgain() {
        List<ProcessGroup> groups = world(2);
        float[] matrix = new float[300 * 50];
        double[] doubled = new double[matrix.length];
        for (int i = 0; i < matrix.length; i++) {
            matrix[i] = (1 + i / 50 % 7) * (i % 50 - 20) + (i / 50 % 3) * (i % 50 % 4);
            doubled[i] = 2 * matrix[i];
        }
        List<Tensor> tensors = List.of(kept(Tensor.of(matrix, 300, 10, 5)), kept(Tensor.of(matrix, 300, 10, 5)));
        requireNear(step(groups, reductions(2, AT_ONCE.withRank(2)), tensors, ReduceOp.SUM), doubled, 1e-2);
    }

    @Test
    void warmStart_findsTheLargestSingularValue() {
        List<ProcessGroup> groups = world(1);
        List<PowerSgd> reductions = reductions(1, AT_ONCE.withFeedback(false).withLeastRate(1));
        float[] result = {};
        for (int i = 0; i < 12; i++) {
            float[] diagonal = new float[25];
            IntStream.range(0, 5).forEach(at -> diagonal[6 * at] = at == 2 ? 4 : 1);
            result = step(groups, reductions, List.of(kept(Tensor.of(diagonal, 5, 5))), ReduceOp.SUM);
        }
        double[] best = new double[25];
        best[12] = 4;
        requireNear(result, best, 1e-4);
    }

    @Test
    void errorFeedback_losesNothingInTheLongRun() {
        List<ProcessGroup> groups = world(2);
        List<PowerSgd> reductions = reductions(2, AT_ONCE.withLeastRate(1));
        double[] missing = new double[ROWS * COLUMNS];
        double first = 0;
        for (int i = 0; i < 40; i++) {
            List<Tensor> tensors = inputs(DType.FLOAT32, 2, 5, ROWS, COLUMNS);
            float[][] given = elements(tensors);
            float[] result = step(groups, reductions, tensors, ReduceOp.AVG);
            for (int j = 0; j < missing.length; j++) {
                missing[j] += (given[0][j] + given[1][j]) / 2 - result[j];
            }
            first = i == 0 ? norm(missing) : first;
        }
        // As often as the matrix has directions to lose; without feedback it would be 40 times the first.
        assertThat(norm(missing)).isLessThan(ROWS * first);
    }

    private static double norm(double[] numbers) {
        return Math.sqrt(Arrays.stream(numbers).map(each -> each * each).sum());
    }

    @Test
    void vectorsSmallMatricesAndStepsBeforeTheFirst_areAPlainAllReduce() {
        List<ProcessGroup> groups = world(2);
        for (long[] shape : new long[][] {{40}, {4, 4}, {0, 5}, {40, 1}}) {
            requirePlain(groups, reductions(2, AT_ONCE), shape);
        }
        PowerSgdOptions later = PowerSgdOptions.DEFAULT.withStartStep(1);
        List<PowerSgd> reductions = reductions(2, later);
        requirePlain(groups, reductions, ROWS, COLUMNS);
        List<Tensor> tensors = inputs(DType.FLOAT32, 2, 3, ROWS, COLUMNS);
        double[] expected = new SequentialPowerSgd(later, ROWS, COLUMNS, 2).step(elements(tensors), 1);
        requireNear(step(groups, reductions, tensors, ReduceOp.SUM), expected, 1e-3);
    }

    private void requirePlain(List<ProcessGroup> groups, List<PowerSgd> reductions, long... shape) {
        List<Tensor> tensors = inputs(DType.FLOAT32, 2, 3, shape);
        float[] sum = sum(elements(tensors));
        assertThat(step(groups, reductions, tensors, ReduceOp.SUM)).isEqualTo(sum);
    }

    private static float[] sum(float[][] given) {
        float[] sum = new float[given[0].length];
        for (int i = 0; i < sum.length; i++) {
            sum[i] = given[0][i] + given[1][i];
        }
        return sum;
    }

    @Test
    void matrixThatWasZeros_isFactoredAgain() {
        List<ProcessGroup> groups = world(2);
        List<PowerSgd> reductions = reductions(2, AT_ONCE);
        List<Tensor> zeros = List.of(kept(Tensor.allocate(DType.FLOAT32, ROWS, COLUMNS)), kept(Tensor.allocate(DType.FLOAT32, ROWS, COLUMNS)));
        assertThat(step(groups, reductions, zeros, ReduceOp.SUM)).containsOnly(0);
        float[] result = step(groups, reductions, inputs(DType.FLOAT32, 2, 1, ROWS, COLUMNS), ReduceOp.SUM);
        assertThat(IntStream.range(0, result.length).mapToDouble(i -> result[i]).map(Math::abs).max().orElseThrow()).isGreaterThan(0.1);
    }

    @Test
    void snapshots_goOnWhereTheyWereTaken_andRanksAheadGoBack() {
        List<ProcessGroup> groups = world(2);
        List<PowerSgd> reductions = reductions(2, AT_ONCE);
        List<PowerSgd> others = reductions(2, AT_ONCE);
        for (int i = 0; i < 3; i++) {
            if (i == 2) {
                for (int rank = 0; rank < 2; rank++) {
                    byte[] saved = reductions.get(rank).state().snapshot().toBytes();
                    others.get(rank).state().restore(CompressionSnapshot.of(saved));
                }
            }
            step(groups, reductions, inputs(DType.FLOAT32, 2, i, ROWS, COLUMNS), ReduceOp.AVG);
        }
        float[] wanted = step(groups, reductions, inputs(DType.FLOAT32, 2, 3, ROWS, COLUMNS), ReduceOp.AVG);
        step(groups, others, inputs(DType.FLOAT32, 2, 2, ROWS, COLUMNS), ReduceOp.AVG);
        aheadByOne(others.getFirst());
        assertThat(others.getFirst().state().step("x")).isEqualTo(4);
        assertThat(step(groups, others, inputs(DType.FLOAT32, 2, 3, ROWS, COLUMNS), ReduceOp.AVG)).isEqualTo(wanted);
    }

    /** As if the last step had failed on the other rank after it went well on this one. */
    private static void aheadByOne(PowerSgd reduction) {
        LowRankPlan plan = LowRankPlan.of(List.of(List.of((long) ROWS, (long) COLUMNS)), AT_ONCE);
        StateShape shape = new StateShape(
                AT_ONCE.label() + " of " + plan.label(), DType.FLOAT32, ROWS * COLUMNS, 2, 0, PowerSgdStep.Load.kept(plan, AT_ONCE));
        NamedState named = reduction.state().take("x", shape);
        HostMoves.run(named.next().kept().stream().map(Move::zeros).toList());
        named.wentWell(named.latest().adapted());
        reduction.state().giveBack("x", named);
    }

    @Test
    void stepThatFails_changesNoState_andStateOfAnotherPlanIsRefused() {
        List<ProcessGroup> groups = world(2);
        List<PowerSgd> reductions = reductions(2, AT_ONCE);
        List<PowerSgd> undisturbed = reductions(2, AT_ONCE);
        step(groups, reductions, inputs(DType.FLOAT32, 2, 1, ROWS, COLUMNS), ReduceOp.SUM);
        step(groups, undisturbed, inputs(DType.FLOAT32, 2, 1, ROWS, COLUMNS), ReduceOp.SUM);
        List<Tensor> closed = inputs(DType.FLOAT32, 2, 7, ROWS, COLUMNS);
        closed.get(1).close();
        assertThat(errors(groups, reductions, closed, ReduceOp.SUM)).hasSize(2);
        assertThat(errors(groups, reductions, inputs(DType.FLOAT32, 2, 1, COLUMNS, ROWS), ReduceOp.SUM)).hasSize(2).allSatisfy(
                error -> assertThat(error).isInstanceOf(InvalidCallException.class).hasMessageContainingAll("other elements", "12x20:1", "20x12:1"));
        float[] wanted = step(groups, undisturbed, inputs(DType.FLOAT32, 2, 2, ROWS, COLUMNS), ReduceOp.SUM);
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 2, 2, ROWS, COLUMNS), ReduceOp.SUM)).isEqualTo(wanted);
    }

    @Test
    void optionsThatDiffer_areAMismatch_andOtherElementsAreRefused() {
        List<ProcessGroup> groups = world(2);
        List<PowerSgd> reductions = List.of(kept(PowerSgd.of(AT_ONCE)), kept(PowerSgd.of(AT_ONCE.withSeed(1))));
        assertThat(errors(groups, reductions, inputs(DType.FLOAT32, 2, 1, ROWS, COLUMNS), ReduceOp.SUM)).hasSize(2).allSatisfy(
                error -> assertThat(error).isInstanceOf(MismatchException.class).hasMessageContaining("seed=1"));
        assertThat(errors(groups, reductions(2, AT_ONCE), inputs(DType.FLOAT64, 2, 1, ROWS, COLUMNS), ReduceOp.SUM)).hasSize(2).allSatisfy(
                error -> assertThat(error).isInstanceOf(InvalidCallException.class).hasMessageContaining("it factors"));
    }
}

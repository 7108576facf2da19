package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.lowrank.LowRankPlan;
import io.reactivecomm.compression.internal.lowrank.PowerSgdStep;
import io.reactivecomm.compression.internal.state.NamedState;
import io.reactivecomm.compression.internal.state.StateHome;
import io.reactivecomm.compression.internal.state.StateShape;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole contract of PowerSGD: options, types and reductions, steps in a row, and states. */
abstract class PowerSgdMatrixContract extends PowerSgdContract {

    static Stream<Arguments> optionsTypesAndReductions() {
        return Stream.of(
                Arguments.of(AT_ONCE, DType.FLOAT32, ReduceOp.AVG),
                Arguments.of(AT_ONCE.withRank(3).withSeed(7), DType.FLOAT32, ReduceOp.SUM),
                Arguments.of(AT_ONCE.withRank(2).withWarmStart(false), DType.FLOAT32, new PreMulSum(0.3)),
                Arguments.of(AT_ONCE.withRank(2).withFeedback(false), DType.FLOAT32, ReduceOp.AVG),
                Arguments.of(AT_ONCE, DType.BFLOAT16, ReduceOp.AVG),
                Arguments.of(AT_ONCE.withFeedback(false), DType.FLOAT16, ReduceOp.AVG));
    }

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("optionsTypesAndReductions")
    void steps_ofAllKinds_areThoseOfASequentialLoop(PowerSgdOptions options, DType type, Reduction op) {
        requireSteps(options, type, op, 3);
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
        for (int i = 0; i < 20; i++) {
            List<Tensor> tensors = inputs(DType.FLOAT32, 2, 5, ROWS, COLUMNS);
            float[][] given = elements(tensors);
            float[] result = step(groups, reductions, tensors, ReduceOp.AVG);
            for (int j = 0; j < missing.length; j++) {
                missing[j] += (given[0][j] + given[1][j]) / 2 - result[j];
            }
            first = i == 0 ? norm(missing) : first;
        }
        // As often as the matrix has directions to lose; without feedback it would be 20 times the first.
        assertThat(norm(missing)).isLessThan(ROWS * first);
    }

    private static double norm(double[] numbers) {
        return Math.sqrt(Arrays.stream(numbers).map(each -> each * each).sum());
    }

    @Test
    void matrixThatWasZeros_isFactoredAgain() {
        List<ProcessGroup> groups = world(2);
        List<PowerSgd> reductions = reductions(2, AT_ONCE);
        List<Tensor> zeros = List.of(
                kept(Tensor.allocate(DType.FLOAT32, ROWS, COLUMNS)),
                kept(Tensor.allocate(DType.FLOAT32, ROWS, COLUMNS)));
        assertThat(step(groups, reductions, zeros, ReduceOp.SUM)).containsOnly(0);
        float[] result = step(groups, reductions, inputs(DType.FLOAT32, 2, 1, ROWS, COLUMNS), ReduceOp.SUM);
        assertThat(IntStream.range(0, result.length)
                        .mapToDouble(i -> result[i])
                        .map(Math::abs)
                        .max()
                        .orElseThrow())
                .isGreaterThan(0.1);
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
        assertThat(step(groups, others, inputs(DType.FLOAT32, 2, 3, ROWS, COLUMNS), ReduceOp.AVG))
                .isEqualTo(wanted);
    }

    /** As if the last step had failed on the other rank after it went well on this one. */
    private static void aheadByOne(PowerSgd reduction) {
        LowRankPlan plan = LowRankPlan.of(List.of(List.of((long) ROWS, (long) COLUMNS)), AT_ONCE);
        StateShape shape = new StateShape(
                AT_ONCE.label() + " of " + plan.label(),
                DType.FLOAT32,
                ROWS * COLUMNS,
                2,
                0,
                PowerSgdStep.Load.kept(plan, AT_ONCE));
        NamedState named = reduction.state().take("x", shape, StateHome.HOST);
        HostMoves.run(named.next().kept().stream().map(Move::zeros).toList());
        named.wentWell(named.latest().adapted());
        reduction.state().giveBack("x", named);
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
}

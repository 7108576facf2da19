package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.FiniteElements;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.testkit.train.BucketWorld;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The contract of PowerSGD, over any transport: a case of each kind. {@link PowerSgdMatrixContract} has more of them. */
abstract class PowerSgdContract extends BucketWorld {

    static final PowerSgdOptions AT_ONCE = PowerSgdOptions.DEFAULT.withStartStep(0);

    static final int ROWS = 12;

    static final int COLUMNS = 20;

    List<PowerSgd> reductions(int ranks, PowerSgdOptions options) {
        return IntStream.range(0, ranks)
                .mapToObj(rank -> kept(PowerSgd.of(options)))
                .toList();
    }

    List<Tensor> inputs(DType type, int ranks, int seed, long... shape) {
        return IntStream.range(0, ranks)
                .mapToObj(rank -> kept(random(type, 31 * seed + rank, shape)))
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

    static float[][] elements(List<Tensor> tensors) {
        return tensors.stream().map(Tensor::toFloatArray).toArray(float[][]::new);
    }

    private static List<Throwable> errors(
            List<ProcessGroup> groups, List<PowerSgd> reductions, List<Tensor> tensors, Reduction op) {
        return Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(
                        group -> reductions
                                .get(group.rank())
                                .allReduce(group, "x", tensors.get(group.rank()), op)
                                .flatMap(done -> Mono.<Throwable>empty())
                                .onErrorResume(Mono::just),
                        groups.size())
                .collectList()
                .block(LIMIT));
    }

    /** Does a step on all ranks and requires the same bits on all. {@return what has come out} */
    static float[] step(List<ProcessGroup> groups, List<PowerSgd> reductions, List<Tensor> tensors, Reduction op) {
        assertThat(errors(groups, reductions, tensors, op)).isEmpty();
        byte[] bits = bytes(tensors.getFirst());
        assertThat(tensors).allSatisfy(each -> assertThat(bytes(each)).isEqualTo(bits));
        return tensors.getFirst().toFloatArray();
    }

    static void requireNear(float[] actual, double[] expected, double distance) {
        assertThat(actual).hasSize(expected.length);
        for (int i = 0; i < actual.length; i++) {
            assertThat((double) actual[i]).as("element %d", i).isCloseTo(expected[i], within(distance));
        }
    }

    /** Requires right steps of random elements, with the same bits on all ranks. */
    final void requireSteps(PowerSgdOptions options, DType type, Reduction op, int steps) {
        List<ProcessGroup> groups = world(3);
        List<PowerSgd> reductions = reductions(3, options.withLeastRate(1));
        SequentialPowerSgd expected = new SequentialPowerSgd(options, ROWS, COLUMNS, 3);
        double weight = op == ReduceOp.AVG ? 1.0 / 3 : op instanceof PreMulSum scaled ? scaled.factor() : 1;
        for (int i = 0; i < steps; i++) {
            List<Tensor> tensors = inputs(type, 3, i, ROWS, COLUMNS);
            double[] sum = expected.step(elements(tensors), weight);
            double largest = Arrays.stream(sum).map(Math::abs).max().orElseThrow();
            double rounding = type == DType.FLOAT32 ? 1e-4 : 0x1p-7;
            requireNear(step(groups, reductions, tensors, op), sum, largest * rounding);
        }
    }

    @Tag("smoke")
    @Test
    void steps_areThoseOfASequentialLoop() {
        requireSteps(AT_ONCE.withRank(2), DType.BFLOAT16, ReduceOp.AVG, 2);
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
        assertThat(errors(groups, reductions, inputs(DType.FLOAT32, 2, 1, COLUMNS, ROWS), ReduceOp.SUM))
                .hasSize(2)
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContainingAll("other elements", "12x20:1", "20x12:1"));
        float[] wanted = step(groups, undisturbed, inputs(DType.FLOAT32, 2, 2, ROWS, COLUMNS), ReduceOp.SUM);
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 2, 2, ROWS, COLUMNS), ReduceOp.SUM))
                .isEqualTo(wanted);
    }

    /** Of matrices, of what goes as it is, and of the steps before compression begins. */
    @Test
    void step_thatIsNotFinite_leavesTheStateAsItWas() {
        List<ProcessGroup> groups = world(2);
        for (PowerSgdOptions options :
                List.of(AT_ONCE.withLeastRate(1), AT_ONCE.withStartStep(2), AT_ONCE.withLeastRate(1e9))) {
            List<PowerSgd> reductions = reductions(2, options);
            List<PowerSgd> undisturbed = reductions(2, options);
            for (int i = 0; i < 4; i++) {
                List<CompressionSnapshot> before =
                        reductions.stream().map(each -> each.state().snapshot()).toList();
                List<Tensor> bad = inputs(DType.FLOAT16, 2, 99, ROWS, COLUMNS);
                try (Tensor number = Tensor.of(new float[] {i % 2 == 0 ? Float.NaN : Float.POSITIVE_INFINITY})) {
                    HostMoves.run(List.of(Move.copy(number, bad.get(i % 2).slice(17 * i, 1))));
                }
                step(groups, reductions, bad, ReduceOp.AVG);
                assertThat(FiniteElements.only(bad.getFirst())).isFalse();
                for (int rank = 0; rank < 2; rank++) {
                    assertThat(reductions.get(rank).state().snapshot()).isEqualTo(before.get(rank));
                    assertThat(reductions.get(rank).state().nonFinite()).containsExactly("x");
                }
                float[] wanted = step(groups, undisturbed, inputs(DType.FLOAT16, 2, i, ROWS, COLUMNS), ReduceOp.AVG);
                assertThat(step(groups, reductions, inputs(DType.FLOAT16, 2, i, ROWS, COLUMNS), ReduceOp.AVG))
                        .isEqualTo(wanted);
            }
        }
    }

    @Test
    void optionsThatDiffer_areAMismatch_andOtherElementsAreRefused() {
        List<ProcessGroup> groups = world(2);
        List<PowerSgd> reductions = List.of(kept(PowerSgd.of(AT_ONCE)), kept(PowerSgd.of(AT_ONCE.withSeed(1))));
        assertThat(errors(groups, reductions, inputs(DType.FLOAT32, 2, 1, ROWS, COLUMNS), ReduceOp.SUM))
                .hasSize(2)
                .allSatisfy(error ->
                        assertThat(error).isInstanceOf(MismatchException.class).hasMessageContaining("seed=1"));
        assertThat(errors(groups, reductions(2, AT_ONCE), inputs(DType.FLOAT64, 2, 1, ROWS, COLUMNS), ReduceOp.SUM))
                .hasSize(2)
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("it factors"));
    }
}

package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.Threshold;
import io.reactivecomm.compression.TopK;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.testkit.Depth;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps of compressed all-reduces in which one element of one rank is a NaN or an infinity. */
abstract class NonFiniteContract extends CompressedWorld {

    private static final int COUNT = 60;
    private static final int RANKS = 2;
    private static final float[] BAD = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};

    /** Of the first rank's part, the second's, and the last element. */
    private static final int[] PLACES = {3, 40, COUNT - 1};

    /** {@return the codecs, with one that keeps a single element of each part} */
    static Stream<Codec> codecs() {
        return Stream.of(
                new OneBit(),
                new BlockQuantization(8, 16),
                new BlockQuantization(4, 5),
                new TopK(0.1),
                new TopK(1e-9),
                new Threshold(0.5, Threshold.Adaptation.USUAL));
    }

    /** {@return the types of elements that are tried} */
    List<DType> types() {
        return Depth.isWhole()
                ? List.of(DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16, DType.FLOAT64)
                : List.of(DType.FLOAT32, DType.FLOAT16);
    }

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("codecs")
    void step_thatIsNotFinite_saysSo_andLeavesTheStateAsItWas(Codec codec) {
        List<ProcessGroup> groups = world(RANKS);
        for (CompressionOptions options :
                List.of(CompressionOptions.inTwoSteps(codec), CompressionOptions.byGather(codec))) {
            for (DType type : types()) {
                requireUntouched(groups, options, type);
            }
        }
    }

    @Test
    void withoutFeedback_stepNumbersAndThresholdsStay() {
        requireUntouched(
                world(RANKS),
                CompressionOptions.byGather(new Threshold(0.5, Threshold.Adaptation.USUAL))
                        .withFeedback(false),
                DType.FLOAT32);
    }

    private void requireUntouched(List<ProcessGroup> groups, CompressionOptions options, DType type) {
        List<CompressedAllReduce> reductions = reductions(RANKS, options);
        SequentialReduction expected = expected(options, type, COUNT, RANKS);
        for (int i = 0; i < BAD.length; i++) {
            requireSteps(groups, reductions, expected, type, COUNT, ReduceOp.AVG, 1);
            requireNotFinite(groups, reductions, type, BAD[i], PLACES[i], i % RANKS);
        }
        requireSteps(groups, reductions, expected, type, COUNT, ReduceOp.AVG, 1);
        assertThat(reductions).allSatisfy(each -> {
            assertThat(each.state().nonFinite()).isEmpty();
            assertThat(each.state().step("x")).isEqualTo(BAD.length + 1);
        });
    }

    private void requireNotFinite(
            List<ProcessGroup> groups,
            List<CompressedAllReduce> reductions,
            DType type,
            float bad,
            int place,
            int rank) {
        List<CompressionSnapshot> before =
                reductions.stream().map(each -> each.state().snapshot()).toList();
        List<Tensor> tensors = inputs(type, COUNT, RANKS, 99);
        put(tensors.get(rank), place, bad);
        List<End> ends = step(groups, reductions, tensors, ReduceOp.AVG);
        String what = "%s by %s, %s, place=%d, rank=%d"
                .formatted(bad, reductions.getFirst().options().label(), type, place, rank);
        requireWell(ends);
        assertThat(ends)
                .as(what)
                .allSatisfy(end -> assertThat(Objects.requireNonNull(end.done()).isFinite())
                        .isFalse());
        assertThat(isFinite(tensors.getFirst())).as(what).isFalse();
        assertThat(tensors)
                .as(what)
                .allSatisfy(each -> assertThat(isFinite(each)).isFalse());
        for (int each = 0; each < RANKS; each++) {
            CompressionState state = reductions.get(each).state();
            assertThat(state.snapshot()).as(what).isEqualTo(before.get(each));
            assertThat(state.nonFinite()).as(what).containsExactly("x");
        }
    }

    private static void put(Tensor tensor, long place, float number) {
        try (Tensor one = Tensor.of(new float[] {number})) {
            HostMoves.run(List.of(Move.copy(one, tensor.slice(place, 1))));
        }
    }

    /** Element by element, in double. */
    private static boolean isFinite(Tensor tensor) {
        try (Tensor doubles = Tensor.allocate(DType.FLOAT64, tensor.count())) {
            HostMoves.run(List.of(Move.copy(tensor, doubles)));
            for (double each : doubles.toDoubleArray()) {
                if (!Double.isFinite(each)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The warm-up does not count it either, also as the very first step. */
    @Test
    void warmUp_isAsLongAsItWasToBe() {
        List<ProcessGroup> groups = world(RANKS);
        CompressionOptions options = ONE_BIT.withWarmUp(2);
        List<CompressedAllReduce> reductions = reductions(RANKS, options);
        requireNotFinite(groups, reductions, DType.FLOAT32, Float.NaN, 0, 1);
        assertThat(reductions)
                .allSatisfy(each -> assertThat(each.state().names()).isEmpty());
        List<Boolean> compressed = new ArrayList<>();
        for (int step = 0; step < 3; step++) {
            List<End> ends = step(groups, reductions, inputs(DType.FLOAT32, COUNT, RANKS, step), ReduceOp.AVG);
            requireWell(ends);
            compressed.add(Objects.requireNonNull(ends.getFirst().done()).isCompressed());
            requireNotFinite(groups, reductions, DType.FLOAT32, Float.POSITIVE_INFINITY, 5, 0);
        }
        assertThat(compressed).containsExactly(false, false, true);
    }

    /** A sum of finite elements may be infinite, and a finite number where it is rounded to its type. */
    @Test
    void finiteElements_whoseSumIsNot_areSuchAStep() {
        List<ProcessGroup> groups = world(RANKS);
        for (DType type : List.of(DType.FLOAT16, DType.FLOAT32)) {
            List<CompressedAllReduce> reductions =
                    reductions(RANKS, CompressionOptions.inTwoSteps(new BlockQuantization(8, 16)));
            SequentialReduction expected = expected(reductions.getFirst().options(), type, COUNT, RANKS);
            requireSteps(groups, reductions, expected, type, COUNT, ReduceOp.SUM, 1);
            List<Tensor> tensors = inputs(type, COUNT, RANKS, 99);
            tensors.forEach(each -> put(each, 7, type == DType.FLOAT16 ? 60_000 : 3e38f));
            assertThat(step(groups, reductions, tensors, ReduceOp.SUM))
                    .allSatisfy(
                            end -> assertThat(Objects.requireNonNull(end.done()).isFinite())
                                    .isFalse());
            requireSteps(groups, reductions, expected, type, COUNT, ReduceOp.SUM, 1);
        }
    }

    /** Of two names one has a finite result: the program takes that step back, too. */
    @Test
    void undo_takesTheLastStepOfANameBack_once() {
        List<ProcessGroup> groups = world(RANKS);
        List<CompressedAllReduce> reductions = reductions(RANKS, ONE_BIT);
        SequentialReduction expected = expected(ONE_BIT, DType.FLOAT32, COUNT, RANKS);
        requireSteps(groups, reductions, expected, DType.FLOAT32, COUNT, ReduceOp.AVG, 2);
        List<CompressionSnapshot> before =
                reductions.stream().map(each -> each.state().snapshot()).toList();
        requireWell(step(groups, reductions, inputs(DType.FLOAT32, COUNT, RANKS, 99), ReduceOp.AVG));
        for (int rank = 0; rank < RANKS; rank++) {
            CompressionState state = reductions.get(rank).state();
            state.undo("x");
            assertThat(state.snapshot()).isEqualTo(before.get(rank));
            assertThatThrownBy(() -> state.undo("x"))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("name=x, goesOn=false, steps=2");
            assertThatThrownBy(() -> state.undo("y"))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("name=y");
        }
        requireSteps(groups, reductions, expected, DType.FLOAT32, COUNT, ReduceOp.AVG, 1);
    }
}

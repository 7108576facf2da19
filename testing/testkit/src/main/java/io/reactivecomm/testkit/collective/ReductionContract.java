package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.WorldContract;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Reductions with a factor, and a caller's own: folded in rank order like any other, one rounding a step. */
public abstract class ReductionContract extends WorldContract {

    /** The expected result of a reduction, one element after the other. */
    interface Sequential {

        double fold(double[] contributions);
    }

    /** Rounded after each step, as the accumulator of {@code FLOAT32} has it. */
    private static double scaledSum(double[] contributions, float factor) {
        float sum = (float) contributions[0] * factor;
        for (int i = 1; i < contributions.length; i++) {
            sum += (float) contributions[i] * factor;
        }
        return sum;
    }

    /** Neither associative nor commutative. */
    private static double halfAndNext(double[] contributions) {
        float result = (float) contributions[0];
        for (int i = 1; i < contributions.length; i++) {
            result = (float) (result / 2.0 - contributions[i]);
        }
        return result;
    }

    private static double[] contributions(List<float[]> given, int element) {
        double[] contributions = new double[given.size()];
        for (int rank = 0; rank < contributions.length; rank++) {
            contributions[rank] = given.get(rank)[element];
        }
        return contributions;
    }

    final Stream<Arguments> reductionsAndSizes() {
        return Stream.of(1, 2, 3, 5, 8)
                .flatMap(size -> Stream.of(
                        Arguments.of(new PreMulSum(0.3), (Sequential) all -> scaledSum(all, 0.3f), size),
                        Arguments.of(new PreMulSum(-2), (Sequential) all -> scaledSum(all, -2f), size),
                        Arguments.of(
                                CustomReduction.ofFloats("half", (a, b) -> a / 2 - b),
                                (Sequential) ReductionContract::halfAndNext,
                                size)));
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}, size={2}")
    @MethodSource("reductionsAndSizes")
    void float32_matchesTheFoldInRankOrder(Reduction op, Sequential expected, int size) {
        List<ProcessGroup> groups = world(size);
        for (int count : new int[] {0, 1, size + 1, 1031, 150_001}) {
            try (GuardedMemory memory = new GuardedMemory()) {
                List<Tensor> tensors = groups.stream()
                        .map(group -> memory.input(DType.FLOAT32, count, 1, group.rank()))
                        .toList();
                List<float[]> given = tensors.stream().map(Tensor::toFloatArray).toList();
                List<Tensor> parts = new ArrayList<>();
                groups.forEach(group -> parts.add(memory.tensor(DType.FLOAT32, count / size)));
                all(
                        groups,
                        group -> group.reduceScatter(
                                tensors.get(group.rank()).slice(0, (long) count / size * size),
                                parts.get(group.rank()),
                                op));
                all(groups, group -> group.allReduce(tensors.get(group.rank()), op));

                for (int rank = 0; rank < size; rank++) {
                    float[] result = tensors.get(rank).toFloatArray();
                    float[] part = parts.get(rank).toFloatArray();
                    for (int i = 0; i < count; i++) {
                        float wanted = (float) expected.fold(contributions(given, i));
                        requireBits(result[i], wanted, rank, i);
                        int own = i - rank * (count / size);
                        if (own >= 0 && own < part.length) {
                            requireBits(part[own], wanted, rank, i);
                        }
                    }
                }
            }
        }
    }

    private static void requireBits(float actual, float wanted, int rank, int element) {
        if (Float.floatToRawIntBits(actual) != Float.floatToRawIntBits(wanted)) {
            throw new AssertionError("a result differs: element=" + element + ", rank=" + rank + ", actual=" + actual
                    + ", expected=" + wanted);
        }
    }

    @Test
    void integers_ofAnOwnReduction_areWidenedAndCut() {
        int size = 4;
        List<ProcessGroup> groups = world(size);
        CustomReduction op = CustomReduction.ofIntegers("mix", (a, b) -> a * 31 - b);
        for (DType type : List.of(DType.INT8, DType.UINT8, DType.INT32, DType.UINT32, DType.INT64, DType.UINT64)) {
            try (GuardedMemory memory = new GuardedMemory()) {
                List<Tensor> tensors = groups.stream()
                        .map(group -> memory.input(type, 1031, 1, group.rank()))
                        .toList();
                all(groups, group -> group.allReduce(tensors.get(group.rank()), op));

                long mask = -1L >>> (64 - 8 * type.byteSize());
                for (int i = 0; i < 1031; i++) {
                    long result = widened(type, Inputs.bits(type, 1, 0, i));
                    for (int rank = 1; rank < size; rank++) {
                        result = widened(type, (result * 31 - widened(type, Inputs.bits(type, 1, rank, i))) & mask);
                    }
                    for (Tensor tensor : tensors) {
                        assertThat(Inputs.get(tensor.segment(), type, i))
                                .as("element %d of %s", i, type)
                                .isEqualTo(result & mask);
                    }
                }
            }
        }
    }

    private static long widened(DType type, long bits) {
        boolean signed = type == DType.INT8 || type == DType.INT32 || type == DType.INT64;
        int spare = 64 - 8 * type.byteSize();
        return signed ? bits << spare >> spare : bits;
    }

    @Test
    void ownReduction_thatThrows_failsOnAllRanks_andTheNextCallWorks() {
        List<ProcessGroup> groups = world(3);
        CustomReduction op = CustomReduction.ofFloats("broken", (a, b) -> {
            throw new IllegalStateException("not today");
        });
        for (int count : new int[] {3, 100_000}) {
            try (GuardedMemory memory = new GuardedMemory()) {
                for (Outcome each : outcomes(
                        groups, group -> group.allReduce(memory.input(DType.FLOAT32, count, 1, group.rank()), op))) {
                    assertThat(each.error(InvalidCallException.class)).hasMessageContaining("custom(broken)");
                }
                all(groups, ProcessGroup::barrier);
            }
        }
    }

    /** The JVM throws the same class where mapped memory is gone, which would be the call's error alone. */
    @Test
    void ownReduction_thatThrowsAnInternalError_endsTheWorld_withItsText() {
        List<ProcessGroup> groups = world(2);
        CustomReduction op = CustomReduction.ofFloats("internal", (a, b) -> {
            throw new InternalError("a program's own");
        });
        try (GuardedMemory memory = new GuardedMemory()) {
            for (Outcome each :
                    outcomes(groups, group -> group.allReduce(memory.input(DType.FLOAT32, 100, 1, group.rank()), op))) {
                assertThat(each.error(GroupClosedException.class))
                        .hasMessageContaining("fatal error on rank")
                        .hasMessageContaining("java.lang.InternalError: a program's own");
            }
            memory.awaitRelease();
        }
    }

    /** In the middle of a fold, while operands are lent: their owners get them back, and nobody waits for the rank that cannot go on. */
    @Test
    void ownReduction_inWhichTheMachineFails_endsTheWorldOnAllRanks() {
        List<ProcessGroup> groups = world(3);
        CustomReduction op = CustomReduction.ofFloats("large", (a, b) -> {
            throw new OutOfMemoryError("as thrown by the machine");
        });
        try (GuardedMemory memory = new GuardedMemory()) {
            for (Outcome each : outcomes(
                    groups, group -> group.allReduce(memory.input(DType.FLOAT32, 100_000, 1, group.rank()), op))) {
                assertThat(each.error(GroupClosedException.class)).hasMessageContaining("fatal error on rank");
            }
            memory.awaitRelease();
        }
    }
}

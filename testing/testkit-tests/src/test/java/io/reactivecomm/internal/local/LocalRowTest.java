package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.collective.RowContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The suite tries any two values together, {@code -Pthorough} all. */
class LocalRowTest extends RowContract implements LocalWorlds {

    @Override
    protected ShapeMatrix matrix() {
        return Depth.isWhole() ? ShapeMatrix.full() : ShapeMatrix.repeated();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 262145, gather-fold",
        "2, 131072, staged-gather-fold",
        "2, 131073, rank-order-direct",
        "3, 87381, staged-gather-fold",
        "3, 87383, rank-order-direct",
        "8, 511, gather-fold",
        "8, 32768, staged-gather-fold",
        "8, 32769, rank-order-direct",
        "8, 262147, rank-order-direct"
    })
    void inferenceAllReduce_ofAnySize_hasTheBitsOfAllReduce_andNamesItsAlgorithm(
            int size, int count, String algorithm) {
        List<ProcessGroup> groups = world(size);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<Tensor> one = tensors(memory, size, count);
            List<Tensor> other = tensors(memory, size, count);

            List<Work> works = all(groups, group -> group.inferenceAllReduce(one.get(group.rank()), ReduceOp.SUM));
            all(groups, group -> group.allReduce(other.get(group.rank()), ReduceOp.SUM));

            assertThat(works).extracting(Work::algorithm).containsOnly(algorithm);
            for (int rank = 0; rank < size; rank++) {
                assertThat(one.get(rank).segment().mismatch(other.get(rank).segment()))
                        .as("rank=%d", rank)
                        .isEqualTo(-1);
            }
        }
    }

    private static List<Tensor> tensors(GuardedMemory memory, int size, int count) {
        return IntStream.range(0, size)
                .mapToObj(rank -> memory.input(DType.FLOAT32, count, 1, rank))
                .toList();
    }
}

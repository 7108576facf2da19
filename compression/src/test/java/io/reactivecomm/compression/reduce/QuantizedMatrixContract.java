package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole contract of quantised reduce-scatters and all-gathers: worlds, codecs, types and reductions. */
abstract class QuantizedMatrixContract extends QuantizedCallsContract {

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

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("worlds")
    void shards_ofAllWorlds_areRight(int hosts, int ranksOfHost, BlockQuantization codec, DType type, Reduction op) {
        requireShards(hosts, ranksOfHost, codec, type, op);
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
            assertThatThrownBy(() -> new Levels(group, mesh.axis("rank"), group))
                    .isInstanceOf(InvalidCallException.class);
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
    void gatheredShards_ofAllTypes_areRight(BlockQuantization codec, DType type, int count) {
        requireGathered(codec, type, count);
    }

    @Test
    void bytesSent_areThoseOfTheArithmetic() {
        List<ProcessGroup> groups = world(4);
        List<Tensor> outputs = outputs(DType.FLOAT32, 4, 512);
        List<End> ends = reduceScatter(
                levels(groups, 2), List.of(INT4), inputs(DType.FLOAT32, 4, 4, 512), outputs, ReduceOp.AVG);
        // Two blocks of 128 bytes and their scales for each chunk: two chunks to the other rank of the host, one to the
        // other host.
        assertThat(well(ends)).containsOnly(new Compressed(0, true, 3 * 2 * (128 + 8)));
    }

    @Test
    void outputThatIsThePartOfTheInput_isWrittenLast() {
        List<ProcessGroup> groups = world(4);
        List<Levels> levels = levels(groups, 2);
        List<Tensor> tensors = inputs(DType.FLOAT32, 4, 8, 11);
        List<Tensor> outputs = outputs(DType.FLOAT32, 4, 22);
        well(reduceScatter(levels, List.of(INT4), tensors, outputs, ReduceOp.SUM));
        List<Tensor> inPlace = IntStream.range(0, 4)
                .mapToObj(rank -> tensors.get(rank).slice(22L * rank, 22))
                .toList();
        well(reduceScatter(levels, List.of(INT4), tensors, inPlace, ReduceOp.SUM));
        for (int rank = 0; rank < 4; rank++) {
            assertThat(inPlace.get(rank).toFloatArray())
                    .isEqualTo(outputs.get(rank).toFloatArray());
        }
    }
}

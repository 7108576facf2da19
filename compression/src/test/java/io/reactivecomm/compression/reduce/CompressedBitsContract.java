package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.Threshold;
import io.reactivecomm.compression.TopK;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The bits of compressed all-reduces, by all options, types and reductions. */
abstract class CompressedBitsContract extends CompressedWorld {

    static Stream<CompressionOptions> options() {
        return Stream.of(
                ONE_BIT,
                ONE_BIT.withFeedback(false),
                CompressionOptions.inTwoSteps(BlockQuantization.int8()),
                CompressionOptions.inTwoSteps(BlockQuantization.int4()),
                CompressionOptions.inTwoSteps(Threshold.usual()),
                CompressionOptions.byGather(new TopK(0.1)),
                CompressionOptions.byGather(Threshold.usual()),
                CompressionOptions.byGather(new OneBit()));
    }

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("options")
    void steps_haveTheBitsOfASequentialLoop_onAllRanks(CompressionOptions options) {
        List<ProcessGroup> groups = world(3);
        for (int count : new int[] {1, 50, 1001}) {
            List<CompressedAllReduce> reductions = reductions(3, options);
            requireSteps(
                    groups,
                    reductions,
                    expected(options, DType.FLOAT32, count, 3),
                    DType.FLOAT32,
                    count,
                    ReduceOp.AVG,
                    2);
        }
    }

    static Stream<Arguments> typesAndReductions() {
        return Stream.of(DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.FLOAT64)
                .flatMap(type -> Stream.of(ReduceOp.SUM, ReduceOp.AVG, new PreMulSum(0.3))
                        .map(op -> Arguments.of(type, op)));
    }

    @ParameterizedTest
    @MethodSource("typesAndReductions")
    void typesAndReductions_areThoseOfASequentialLoop(DType type, Reduction op) {
        for (int ranks : new int[] {1, 2}) {
            requireSteps(world(ranks), reductions(ranks, ONE_BIT), expected(ONE_BIT, type, 77, ranks), type, 77, op, 2);
        }
    }

    @Test
    void noElements_areASteps_onAllRanks() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        requireWell(step(groups, reductions, inputs(DType.FLOAT32, 0, 2, 1), ReduceOp.SUM));
        assertThat(reductions)
                .allSatisfy(each -> assertThat(each.state().step("x")).isEqualTo(1));
    }
}

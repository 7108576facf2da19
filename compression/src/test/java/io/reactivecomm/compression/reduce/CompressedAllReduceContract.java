package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Threshold;
import io.reactivecomm.compression.TopK;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract of compressed all-reduces, over any transport: a case of each kind. {@link CompressedBitsContract} has more of them. */
abstract class CompressedAllReduceContract extends CompressedWorld {

    @Tag("smoke")
    @Test
    void routes_andExchanges_bringTheBitsOfASequentialLoop_onAllRanks() {
        List<ProcessGroup> groups = world(3);
        for (CompressionOptions options : routesAndExchanges()) {
            requireSteps(
                    groups,
                    reductions(3, options),
                    expected(options, DType.BFLOAT16, 200, 3),
                    DType.BFLOAT16,
                    200,
                    ReduceOp.AVG,
                    2);
        }
    }

    private static List<CompressionOptions> routesAndExchanges() {
        CompressionOptions threshold = CompressionOptions.inTwoSteps(Threshold.usual());
        Stream<CompressionOptions> inTwoSteps = Arrays.stream(Exchange.values())
                .flatMap(exchange -> Stream.of(ONE_BIT.withExchange(exchange), threshold.withExchange(exchange)));
        return Stream.concat(inTwoSteps, Stream.of(CompressionOptions.byGather(Threshold.usual())))
                .toList();
    }

    @Test
    void warmUp_isAPlainAllReduce_andThenErrorsAreZeros() {
        List<ProcessGroup> groups = world(2);
        CompressionOptions options = ONE_BIT.withWarmUp(2);
        List<CompressedAllReduce> reductions = reductions(2, options);
        for (int i = 0; i < 2; i++) {
            List<Tensor> tensors = inputs(DType.FLOAT32, 40, 2, 100 + i);
            float[] one = tensors.get(0).toFloatArray();
            float[] other = tensors.get(1).toFloatArray();
            List<End> ends = step(groups, reductions, tensors, ReduceOp.SUM);
            requireWell(ends);
            assertThat(ends)
                    .allSatisfy(
                            end -> assertThat(Objects.requireNonNull(end.done()).isCompressed())
                                    .isFalse());
            float[] sum = new float[40];
            for (int j = 0; j < 40; j++) {
                sum[j] = one[j] + other[j];
            }
            assertThat(tensors)
                    .allSatisfy(each -> assertThat(each.toFloatArray()).isEqualTo(sum));
        }
        requireSteps(groups, reductions, expected(options, DType.FLOAT32, 40, 2), DType.FLOAT32, 40, ReduceOp.SUM, 2);
        assertThat(reductions.getFirst().state().step("x")).isEqualTo(4);
    }

    @Test
    void bytesSent_areThoseOfTheArithmetic() {
        List<ProcessGroup> groups = world(2);
        List<End> ends = step(groups, reductions(2, ONE_BIT), inputs(DType.FLOAT32, 1600, 2, 1), ReduceOp.SUM);
        // A part of 800 bits and its scale to the other rank, and the same of sums.
        assertThat(ends)
                .allSatisfy(end -> assertThat(Objects.requireNonNull(end.done()).bytesSent())
                        .isEqualTo(2 * (100 + 8)));
    }

    @Test
    void stepThatFails_changesNoState_andTheNextOneIsRight() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        SequentialReduction expected = expected(ONE_BIT, DType.FLOAT32, 60, 2);
        requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 1);
        List<Tensor> tensors = inputs(DType.FLOAT32, 60, 2, 7);
        tensors.get(1).close();
        assertThat(step(groups, reductions, tensors, ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(InvalidCallException.class));
        assertThat(tensors.getFirst().released().toFuture()).isDone();
        requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 2);
    }

    @Tag("smoke")
    @Test
    void codecsThatDiffer_areAMismatch_thoughTheirLengthsAreEqual() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = List.of(
                kept(CompressedAllReduce.of(CompressionOptions.byGather(new TopK(0.5)))),
                kept(CompressedAllReduce.of(CompressionOptions.byGather(new TopK(0.51)))));
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 4, 2, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(MismatchException.class)
                        .hasMessageContaining("0.51"));
    }

    @Test
    void whatCannotBeReduced_isRefusedOnAll() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        List<Tensor> integers = List.of(kept(Tensor.of(new int[] {1})), kept(Tensor.of(new int[] {1})));
        assertThat(step(groups, reductions, integers, ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).hasMessageContaining("it encodes FLOAT16"));
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 4, 2, 1), ReduceOp.MAX))
                .allSatisfy(end -> assertThat(end.error()).hasMessageContaining("encoded elements are added up"));
    }
}

package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.TopK;
import io.reactivecomm.compression.device.CudaWorlds;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.testkit.Depth;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Compressed all-reduces on a device whose driver fails at something on one rank. */
class DeviceFaultsTest extends CompressedWorld implements CudaWorlds {

    private static final int RANKS = 2;

    /** Padded, so that there are copies, too. */
    private static final int COUNT = 60;

    private static final int INVALID_VALUE = 1;
    private static final int OUT_OF_MEMORY = 2;

    /** More than any step makes of a function of the driver's. */
    private static final int MOST_CALLS = 200;

    private static final int STRIDE = Depth.isWhole() ? 1 : 5;

    private static final Map<String, CompressionOptions> WAYS = Map.of(
            "one-bit", CompressionOptions.inTwoSteps(new OneBit()),
            "one-bit by messages", CompressionOptions.inTwoSteps(new OneBit()).withExchange(Exchange.MESSAGES),
            "int8", CompressionOptions.inTwoSteps(BlockQuantization.int8()),
            "top-k", CompressionOptions.byGather(new TopK(0.1)));

    @AfterEach
    void failNoMore() {
        CudaDouble.JVM.fail("", 0, 0, 0);
    }

    static Stream<Arguments> faults() {
        return WAYS.keySet().stream().sorted().flatMap(way -> Stream.of(
                Arguments.of(way, "cuLaunchKernel", INVALID_VALUE),
                Arguments.of(way, "cuModuleLoadData", INVALID_VALUE),
                Arguments.of(way, "cuModuleGetFunction", INVALID_VALUE),
                Arguments.of(way, "cuMemsetD8Async", INVALID_VALUE),
                Arguments.of(way, "cuMemAllocAsync", OUT_OF_MEMORY)));
    }

    /** Each call of the driver's fails once, in a world of its own: what was to be encoded, or added up, may have gone to the other rank by then. */
    @ParameterizedTest
    @MethodSource("faults")
    void fault_isAnErrorOnAllRanks_andTheNextStepIsRight(String way, String function, int result) {
        CompressionOptions options = WAYS.get(way);
        for (int skip = 0; hasFailed(options, function, result, skip); skip += STRIDE) {
            assertThat(skip).isLessThan(MOST_CALLS);
        }
    }

    /** {@return false if so many calls were not made} */
    private boolean hasFailed(CompressionOptions options, String function, int result, int skip) {
        List<ProcessGroup> groups = world(RANKS);
        List<CompressedAllReduce> reductions = reductions(RANKS, options);
        List<Tensor> tensors = inputs(DType.FLOAT32, COUNT, RANKS, 7);
        List<Tensor> there = tensors.stream().map(each -> home().copy(each, home().device(0))).toList();
        long before = CudaDouble.JVM.calls(function);
        CudaDouble.JVM.fail(function, result, skip, 1);
        List<End> ends = End.ofAll(groups, LIMIT, group -> reductions.get(group.rank()).allReduce(group, "x", there.get(group.rank()), ReduceOp.SUM));
        boolean hasFailed = CudaDouble.JVM.calls(function) - before > skip;
        CudaDouble.JVM.fail("", 0, 0, 0);
        there.forEach(Tensor::close);
        if (hasFailed) {
            assertThat(ends).as("%s, call %d: %s", function, skip, ends).allSatisfy(end -> assertThat(end.error()).hasStackTraceContaining("CUDA"));
            requireSteps(groups, reductions, expected(options, DType.FLOAT32, COUNT, RANKS), DType.FLOAT32, COUNT, ReduceOp.SUM, 1);
        } else {
            requireWell(ends);
        }
        return hasFailed;
    }
}

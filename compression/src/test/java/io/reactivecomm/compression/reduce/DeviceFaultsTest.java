package io.reactivecomm.compression.reduce;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.TopK;
import io.reactivecomm.compression.device.CudaDoubleProvider;
import io.reactivecomm.compression.device.CudaWorlds;
import io.reactivecomm.device.Move;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.testkit.Depth;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/**
 * Compressed all-reduces on a device whose driver fails at something on one rank, or which hangs, and on ranks of which one has its elements elsewhere.
 */
class DeviceFaultsTest extends CompressedWorld implements CudaWorlds {

    private static final int RANKS = 2;

    /** Padded, so that there are copies, too. */
    private static final int COUNT = 60;

    private static final Duration DEADLINE = Duration.ofMillis(700);

    private static final int INVALID_VALUE = 1;
    private static final int OUT_OF_MEMORY = 2;

    /** More than any step makes of a function of the driver's. */
    private static final int MOST_CALLS = 200;

    private static final int STRIDE = Depth.isWhole() ? 1 : 11;

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
        return WAYS.keySet().stream()
                .sorted()
                .filter(way -> Depth.isWhole() || way.equals("one-bit"))
                .flatMap(way -> Stream.of(
                        Arguments.of(way, "cuLaunchKernel", INVALID_VALUE),
                        Arguments.of(way, "cuModuleLoadData", INVALID_VALUE),
                        Arguments.of(way, "cuModuleGetFunction", INVALID_VALUE),
                        Arguments.of(way, "cuMemsetD8Async", INVALID_VALUE),
                        Arguments.of(way, "cuMemAllocAsync", OUT_OF_MEMORY)));
    }

    /** Each call of the driver's fails once, in a world of its own: what was to be encoded, or added up, may have gone to the other rank by then. */
    @ParameterizedTest
    @MethodSource("faults")
    void fault_isAnErrorOnAllRanks_andTheNextStepIsRight_orTheGroupIsOver(String way, String function, int result) {
        CompressionOptions options = WAYS.get(way);
        for (int skip = 0; hasFailed(options, function, result, skip); skip += STRIDE) {
            assertThat(skip).isLessThan(MOST_CALLS);
        }
    }

    /** {@return false if so many calls were not made} */
    private boolean hasFailed(CompressionOptions options, String function, int result, int skip) {
        List<ProcessGroup> groups = world(RANKS);
        List<CompressedAllReduce> reductions = reductions(RANKS, options);
        SequentialReduction expected = expected(options, DType.FLOAT32, COUNT, RANKS);
        boolean isOfTheFirstStep = function.startsWith("cuModule");
        if (!isOfTheFirstStep) {
            requireSteps(groups, reductions, expected, DType.FLOAT32, COUNT, ReduceOp.SUM, 1);
        }
        List<Tensor> there = there(inputs(DType.FLOAT32, COUNT, RANKS, 7));
        long before = CudaDouble.JVM.calls(function);
        CudaDouble.JVM.fail(function, result, skip, 1);
        List<End> ends = ends(groups, reductions, there);
        boolean hasFailed = CudaDouble.JVM.calls(function) - before > skip;
        failNoMore();
        if (hasFailed) {
            assertThat(ends)
                    .as("%s, call %d: %s", function, skip, ends)
                    .allSatisfy(end -> assertThat(end.error()).hasStackTraceContaining("CUDA"));
            if (isOver(groups)) {
                assertThat(ends(groups, reductions, there))
                        .allSatisfy(end -> assertThat(end.error()).isInstanceOf(CommException.class));
            } else {
                requireSteps(groups, reductions, expected, DType.FLOAT32, COUNT, ReduceOp.SUM, 2);
            }
        } else {
            requireWell(ends);
        }
        return hasFailed;
    }

    /** Where a call of NCCL was to read what was not written the group is over, on all ranks; else it goes on, on all. */
    private static boolean isOver(List<ProcessGroup> groups) {
        List<Boolean> over = Flux.fromIterable(groups)
                .flatMapSequential(
                        group -> group.barrier().map(work -> false).onErrorReturn(CommException.class, true),
                        groups.size())
                .collectList()
                .block(LIMIT);
        assertThat(over).as("ranks on which the group is over").containsOnly(over.getFirst());
        return over.getFirst();
    }

    private List<Tensor> there(List<Tensor> tensors) {
        return tensors.stream()
                .map(each -> kept(home().copy(each, home().device(0))))
                .toList();
    }

    private static List<End> ends(
            List<ProcessGroup> groups, List<CompressedAllReduce> reductions, List<Tensor> tensors) {
        return End.ofAll(
                groups,
                LIMIT,
                group -> reductions.get(group.rank()).allReduce(group, "x", tensors.get(group.rank()), ReduceOp.SUM));
    }

    /** As where a bucket's packing has failed, behind which its call is enqueued. */
    @Test
    void warmUp_ofWhatWasNotPutThere_isAnErrorOnAllRanks() {
        List<ProcessGroup> groups = world(RANKS);
        List<Tensor> tensors = inputs(DType.FLOAT32, COUNT, RANKS, 7);
        List<Tensor> there = there(tensors);
        CudaDouble.JVM.fail("cuMemcpyHtoDAsync", INVALID_VALUE, 0, 1);
        groups.getLast().move(List.of(Move.copy(tensors.getLast(), there.getLast())));
        assertThat(ends(groups, reductions(RANKS, ONE_BIT.withWarmUp(1)), there))
                .allSatisfy(end -> assertThat(end.error()).hasStackTraceContaining("cuMemcpyHtoDAsync"));
    }

    @Test
    void deviceThatHangs_holdsUpNoDeadline() {
        List<ProcessGroup> groups =
                world(RANKS).stream().map(each -> each.timeout(DEADLINE)).toList();
        List<CompressedAllReduce> reductions = reductions(RANKS, ONE_BIT);
        List<Tensor> there = there(inputs(DType.FLOAT32, COUNT, RANKS, 7));
        CudaDouble.JVM.hold(0, true);
        List<End> ends;
        try {
            ends = ends(groups, reductions, there);
        } finally {
            CudaDouble.JVM.hold(0, false);
        }
        assertThat(ends).allSatisfy(end -> assertThat(end.error()).isInstanceOf(CommTimeoutException.class));
        there.forEach(Tensor::close);
        there.forEach(each -> each.released().block(LIMIT));
    }

    @Test
    void rankWhoseElementsAreOnTheHost_isAMismatch_onAllRanks() {
        List<ProcessGroup> groups = world(RANKS);
        List<Tensor> tensors = inputs(DType.FLOAT32, COUNT, RANKS, 7);
        List<Tensor> mixed = List.of(tensors.getFirst(), there(tensors).getLast());
        assertThat(ends(groups, reductions(RANKS, ONE_BIT), mixed))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(MismatchException.class)
                        .hasMessageContaining(CudaDoubleProvider.NAME));
    }

    /** Each next step begins on the loop that tells of the last, which must not wait. */
    @Test
    void state_followsElements_toTheHost_andBack() {
        ProcessGroup group = world(1).getFirst();
        CompressedAllReduce reduction = reductions(1, ONE_BIT).getFirst();
        SequentialReduction expected = expected(ONE_BIT, DType.FLOAT32, COUNT, 1);
        List<Tensor> onHost = IntStream.range(0, 5)
                .mapToObj(step -> inputs(DType.FLOAT32, COUNT, 1, step).getFirst())
                .toList();
        List<byte[]> sums =
                onHost.stream().map(each -> expected.step(List.of(each), 1)).toList();
        List<Tensor> onDevice = there(onHost);
        List<Tensor> tensors = IntStream.range(0, 5)
                .mapToObj(step -> (step % 3 == 2 ? onHost : onDevice).get(step))
                .toList();
        Flux.fromIterable(tensors)
                .concatMap(each -> reduction.allReduce(group, "x", each, ReduceOp.SUM))
                .blockLast(LIMIT);
        for (int step = 0; step < 5; step++) {
            assertThat(home().read(tensors.get(step)).toArray(JAVA_BYTE))
                    .as("step %d", step)
                    .isEqualTo(sums.get(step));
        }
    }
}

package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.testkit.NeedsGcc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls that are in flight on one tensor and become ready together. */
@ExtendWith(NeedsGcc.class)
class CallsOfOneTensorTest {

    private static final Device GPU = new Device(CudaMemory.KIND, 0);
    private static final int SIZE = 3;
    private static final int COUNT = 40;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final NcclDouble nccl = NcclDoubleProvider.nccl(NcclDoubleDialect.NCCL);
    private final List<Tensor> made = new ArrayList<>();
    private NcclWorlds.Ranks world;

    @BeforeEach
    void open() {
        world = NcclWorlds.Ranks.open(SIZE, "cpu:links,cuda:" + NcclWorlds.NEWEST);
    }

    /** Whatever was in flight before, the world works. */
    @AfterEach
    void sumOfAnotherTensor_isRight() {
        try (NcclWorlds.Ranks open = world) {
            List<Tensor> others = ones();
            together(open.groups(), group -> Flux.just(sum(group, others)));
            assertSums(others, SIZE);
            made.forEach(Tensor::close);
        } finally {
            nccl.clear();
            CudaDouble.JVM.forgetFaults();
        }
    }

    private List<Tensor> ones() {
        return world.groups().stream()
                .map(group -> {
                    Tensor tensor = group.allocate(GPU, DType.FLOAT32, COUNT);
                    made.add(tensor);
                    float[] values = new float[COUNT];
                    Arrays.fill(values, 1);
                    try (Tensor ones = Tensor.of(values)) {
                        group.move(List.of(Move.copy(ones, tensor))).completed().block(LIMIT);
                    }
                    return tensor;
                })
                .toList();
    }

    private static Mono<Work> sum(ProcessGroup group, List<Tensor> tensors) {
        return group.allReduce(tensors.get(group.rank()), ReduceOp.SUM);
    }

    private static Mono<Work> sum(ProcessGroup group, List<Tensor> from, List<Tensor> to) {
        return group.allReduce(from.get(group.rank()), to.get(group.rank()), ReduceOp.SUM);
    }

    /** Subscribes to calls of each rank on its loop, so that they begin in one turn. */
    private static void together(List<ProcessGroup> groups, Function<ProcessGroup, Flux<Mono<Work>>> calls) {
        List<CompletableFuture<List<Work>>> ends = groups.stream()
                .map(group -> group.barrier()
                        .then(Mono.defer(() -> Flux.merge(calls.apply(group)).collectList()))
                        .toFuture())
                .toList();
        ends.forEach(end -> end.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join());
    }

    private static void assertSums(List<Tensor> tensors, float... byRank) {
        for (int rank = 0; rank < SIZE; rank++) {
            assertThat(tensors.get(rank).toFloatArray())
                    .as("rank %d", rank)
                    .hasSize(COUNT)
                    .containsOnly(byRank[byRank.length == 1 ? 0 : rank]);
        }
    }

    /** Asserts how many calls are in each group of NCCL, on all ranks, since launches were forgotten. */
    private void assertCuts(Integer... calls) {
        List<NcclDouble.Launch> launches = nccl.launches();
        IntStream.range(0, SIZE)
                .forEach(rank -> assertThat(launches.stream()
                                .filter(each -> each.rank() == rank)
                                .map(NcclDouble.Launch::calls))
                        .as("rank %d", rank)
                        .containsExactly(calls));
    }

    private static ProcessGroup view(ProcessGroup group, boolean isEnqueued) {
        return isEnqueued ? group.enqueued() : group;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sumsInPlace_matchThoseOneAfterTheOther_andOthersAreMerged(boolean isEnqueued) {
        List<Tensor> shared = ones();
        List<Tensor> first = ones();
        List<Tensor> last = ones();
        nccl.clear();

        together(world.groups(), group -> {
            ProcessGroup view = view(group, isEnqueued);
            return Flux.just(
                    sum(view, shared), sum(view, first), sum(view, shared), sum(view, last), sum(view, shared));
        });

        assertCuts(3, 1, 1);
        assertSums(shared, SIZE * SIZE * SIZE);
        assertSums(first, SIZE);
        assertSums(last, SIZE);
    }

    /** Only that rank knows of it, and all cut alike. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void sums_whoseTensorsAreOneOnOneRankOnly_matchThoseOneAfterTheOther(int sharer) {
        List<Tensor> first = ones();
        List<Tensor> second = new ArrayList<>(ones());
        second.set(sharer, first.get(sharer).slice(0, COUNT));
        nccl.clear();

        together(world.groups(), group -> Flux.just(sum(group, first), sum(group, second)));

        assertCuts(1, 1);
        float[] expected = {SIZE, SIZE, SIZE};
        expected[sharer] = SIZE + SIZE - 1;
        assertSums(first, expected);
        assertSums(second, SIZE + SIZE - 1);
    }

    @Test
    void readsBeforeAndBehindAWrite_matchThoseOneAfterTheOther() {
        List<Tensor> shared = ones();
        List<Tensor> before = ones();
        List<Tensor> alsoBefore = ones();
        List<Tensor> behind = ones();
        nccl.clear();

        together(
                world.groups(),
                group -> Flux.just(
                        sum(group, shared, before),
                        sum(group, shared, alsoBefore),
                        sum(group, shared),
                        sum(group, shared, behind)));

        assertCuts(2, 1, 1);
        assertSums(before, SIZE);
        assertSums(alsoBefore, SIZE);
        assertSums(shared, SIZE);
        assertSums(behind, SIZE * SIZE);
    }

    /** A group of NCCL has calls of all communicators. */
    @Test
    void sumsOfTwoGroups_matchThoseOneAfterTheOther() {
        List<CompletableFuture<ProcessGroup>> making = world.groups().stream()
                .map(group -> group.newGroup(0, 1, 2).toFuture())
                .toList();
        List<ProcessGroup> others = making.stream()
                .map(each -> each.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join())
                .toList();
        List<Tensor> shared = ones();
        List<Tensor> opening = ones();
        together(others, group -> Flux.just(sum(group, opening)));
        nccl.clear();

        together(world.groups(), group -> Flux.just(sum(group, shared), sum(others.get(group.rank()), shared)));

        assertCuts(1, 1);
        assertSums(shared, SIZE * SIZE);
    }

    @Test
    void moreUrgentCall_doesNotOvertakeOneOnItsMemory() {
        List<Tensor> shared = ones();
        List<Tensor> result = ones();

        together(world.groups(), group -> Flux.just(sum(group, shared), sum(group.priority(9), shared, result)));

        assertSums(shared, SIZE);
        assertSums(result, SIZE * SIZE);
    }
}

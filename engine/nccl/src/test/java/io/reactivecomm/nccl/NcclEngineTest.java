package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.nccl.cuda.CudaHandle;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.testkit.NeedsGcc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The engine over the doubles of NCCL and CUDA: what it makes of calls, and what becomes of NCCL's failures. */
@ExtendWith(NeedsGcc.class)
class NcclEngineTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int MANY = 100;
    private static final Device GPU = new Device(CudaMemory.KIND, 0);

    private final NcclDouble nccl = NcclDoubleProvider.nccl(NcclDoubleDialect.NCCL);
    private final List<Tensor> tensors = new ArrayList<>();
    private NcclWorlds.Ranks world;

    private List<ProcessGroup> world(int size) {
        return world(size, NcclWorlds.NEWEST);
    }

    private List<ProcessGroup> world(int size, String engine) {
        world = NcclWorlds.Ranks.open(size, "cpu:links,cuda:" + engine);
        nccl.clear();
        return world.groups();
    }

    @AfterEach
    void nothingIsLeft() {
        nccl.clear();
        tensors.forEach(Tensor::close);
        world.close();
        assertThat(nccl.comms()).as("communicators that have not ended").isZero();
    }

    /** {@return a tensor on the device} */
    private Tensor filled(ProcessGroup group, float... values) {
        Tensor there = group.allocate(GPU, DType.FLOAT32, values.length);
        tensors.add(there);
        try (Tensor here = Tensor.of(values)) {
            group.move(List.of(Move.copy(here, there))).completed().block(LIMIT);
        }
        return there;
    }

    private static void all(List<ProcessGroup> groups, Function<ProcessGroup, Mono<?>> call) {
        Flux.fromIterable(groups).flatMap(call, groups.size()).blockLast(LIMIT);
    }

    /** {@return why a call fails on each rank} */
    private static List<Throwable> failures(List<ProcessGroup> groups, Function<ProcessGroup, Mono<Work>> call) {
        return Flux.fromIterable(groups)
                .flatMapSequential(
                        group -> call.apply(group).then(Mono.<Throwable>empty()).onErrorResume(Mono::just),
                        groups.size())
                .collectList()
                .block(LIMIT);
    }

    private List<NcclDouble.Launch> launchesOf(int rank) {
        return nccl.launches().stream().filter(launch -> launch.rank() == rank).toList();
    }

    @Test
    void scope_ofAThousandCalls_isOneGroup() {
        List<ProcessGroup> groups = world(2);
        List<List<Tensor>> sums = groups.stream()
                .map(group -> IntStream.range(0, 1_000)
                        .mapToObj(i -> filled(group, i, group.rank()))
                        .toList())
                .toList();

        all(
                groups,
                group -> group.coalesce(
                        scope -> sums.get(group.rank()).forEach(each -> scope.allReduce(each, ReduceOp.SUM))));

        for (int rank = 0; rank < 2; rank++) {
            assertThat(launchesOf(rank))
                    .singleElement()
                    .satisfies(launch -> assertThat(launch.calls()).isEqualTo(1_000));
            assertThat(sums.get(rank).get(999).toFloatArray()).containsExactly(1_998, 1);
        }
    }

    @Test
    void calls_ofOverlappingGroups_inAnyOrder_areMergedAlike() {
        List<ProcessGroup> groups = world(3);
        List<int[]> members = List.of(new int[] {0, 1}, new int[] {1, 2}, new int[] {0, 2}, new int[] {0, 1, 2});
        List<List<Mono<?>>> calls = groups.stream()
                .map(group -> (List<Mono<?>>) new ArrayList<Mono<?>>())
                .toList();
        List<List<Tensor>> sums = groups.stream()
                .map(group -> (List<Tensor>) new ArrayList<Tensor>())
                .toList();
        for (int i = 0; i < members.size(); i++) {
            int[] ranks = members.get(i);
            List<ProcessGroup> made = Flux.fromIterable(groups)
                    .flatMapSequential(group -> group.newGroup(ranks), 3)
                    .collectList()
                    .block(LIMIT);
            for (ProcessGroup each : made) {
                int worldRank = ranks[each.rank()];
                for (int call = 0; call < 250; call++) {
                    Tensor sum = filled(each, call);
                    sums.get(worldRank).add(sum);
                    calls.get(worldRank).add(each.allReduce(sum, ReduceOp.SUM));
                }
            }
        }
        calls.forEach(each -> Collections.shuffle(each, new Random(calls.indexOf(each))));

        Mono.when(calls.stream().map(Mono::when).toList()).block(LIMIT);

        assertThat(nccl.launches().stream().mapToInt(NcclDouble.Launch::calls).sum())
                .isEqualTo(250 * (2 + 2 + 2 + 3) + warmUps(members));
        assertThat(MergeCheck.difference(nccl.launches())).isEmpty();
    }

    private static int warmUps(List<int[]> members) {
        return members.stream().mapToInt(ranks -> ranks.length).sum();
    }

    @ParameterizedTest
    @EnumSource(
            value = NcclResult.class,
            names = {"UNHANDLED_CUDA_ERROR", "REMOTE_ERROR", "INTERNAL_ERROR", "TIMEOUT"})
    void failureOfAFunction_failsTheCallOnAllRanks(NcclResult result) {
        List<ProcessGroup> groups = world(3);
        List<Tensor> sums = groups.stream().map(group -> filled(group, 1)).toList();
        nccl.plan("AllReduce", 1, result, 0);

        List<Throwable> failures = failures(groups, group -> group.allReduce(sums.get(group.rank()), ReduceOp.SUM));

        assertThat(failures)
                .hasSize(3)
                .allSatisfy(each -> assertThat(each)
                        .isInstanceOf(result == NcclResult.TIMEOUT ? CommTimeoutException.class : CommException.class)
                        .hasMessageContaining("rank=1")
                        .hasMessageContaining("result=" + result)
                        .hasMessageContaining("all-reduce(FLOAT32 × 1, SUM)"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"GroupStart", "GroupEnd", "launch"})
    void failureOfALaunch_failsTheCallOnAllRanks(String function) {
        List<ProcessGroup> groups = world(2);
        List<Tensor> sums = groups.stream().map(group -> filled(group, 1)).toList();
        nccl.plan(function, NcclDouble.ANY, NcclResult.INTERNAL_ERROR, 0);

        List<Throwable> failures = failures(groups, group -> group.allReduce(sums.get(group.rank()), ReduceOp.SUM));

        assertThat(failures)
                .hasSize(2)
                .allSatisfy(each ->
                        assertThat(each).isInstanceOf(CommException.class).hasMessageContaining("INTERNAL_ERROR"));
    }

    /** It would be garbage on the ranks that know nothing of it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void moveThatIsNotLaunched_failsTheCallThatReadsIt_onAllRanks(boolean isEnqueued) {
        List<ProcessGroup> groups = world(2);
        List<Tensor> sums = groups.stream().map(group -> filled(group, 1)).toList();
        CudaDouble.JVM.fail("cuMemcpyHtoDAsync", 700, 0, 1);
        try (Tensor given = Tensor.of(new float[] {3})) {
            groups.get(1).move(List.of(Move.copy(given, sums.get(1))));
        }

        List<Throwable> failures = failures(
                groups,
                group -> (isEnqueued ? group.enqueued() : group)
                        .allReduce(sums.get(group.rank()), ReduceOp.SUM)
                        .flatMap(work -> work.handle().completed().thenReturn(work)));

        assertThat(failures)
                .hasSize(2)
                .allSatisfy(each ->
                        assertThat(each).isInstanceOf(CommException.class).hasMessageContaining("was not written"));
    }

    @Test
    void failureOfACommunicator_whileItsCallRuns_isTheSameExceptionOnAllRanks_andOtherGroupsGoOn() {
        List<ProcessGroup> groups = world(2);
        List<ProcessGroup> others = Flux.fromIterable(groups)
                .flatMapSequential(group -> group.newGroup(0, 1), 2)
                .collectList()
                .block(LIMIT);
        List<Tensor> sums = groups.stream().map(group -> filled(group, 1)).toList();
        all(others, group -> group.allReduce(sums.get(group.rank()), ReduceOp.SUM));
        long name = nccl.launches().getLast().communicator();
        nccl.hold(0, true, false);

        List<Mono<Throwable>> failures = others.stream()
                .map(group -> group.allReduce(sums.get(group.rank()), ReduceOp.SUM)
                        .then(Mono.<Throwable>empty())
                        .onErrorResume(Mono::just)
                        .cache())
                .toList();
        failures.forEach(Mono::subscribe);
        assertThat(nccl.fail(name, 1, NcclResult.REMOTE_ERROR)).isTrue();

        for (Mono<Throwable> each : failures) {
            assertThat(each.block(LIMIT)).isInstanceOf(CommException.class).hasMessageContaining("REMOTE_ERROR");
        }
        nccl.hold(0, false, false);
        all(groups, group -> group.allReduce(sums.get(group.rank()), ReduceOp.MAX));
    }

    @Test
    void abort_ofWhatIsInProgress_endsTheCallAtOnce_andItsTensorWhenTheDeviceLetsGo() {
        List<ProcessGroup> groups = world(2);
        List<Tensor> sums = groups.stream().map(group -> filled(group, 1)).toList();
        nccl.polls(Integer.MAX_VALUE);
        List<Mono<Throwable>> failures = groups.stream()
                .map(group -> group.allReduce(sums.get(group.rank()), ReduceOp.SUM)
                        .then(Mono.<Throwable>empty())
                        .onErrorResume(Mono::just)
                        .cache())
                .toList();
        failures.forEach(Mono::subscribe);

        groups.getFirst().abort("enough");

        for (Mono<Throwable> each : failures) {
            assertThat(each.block(LIMIT))
                    .isInstanceOf(GroupClosedException.class)
                    .hasMessageContaining("enough");
        }
        sums.forEach(each -> each.released().block(LIMIT));
    }

    /** What each rank of two sends to both, and takes from both. */
    @ParameterizedTest
    @CsvSource({"1,2,2,1,false", "1,3,2,1,true"})
    void lengths_thatPairsDifferIn_areAMismatchOnBoth(
            long toFirst, long toSecond, long secondTakes, long firstTakes, boolean differ) {
        List<ProcessGroup> groups = world(2);
        List<Tensor> from =
                groups.stream().map(group -> filled(group, 1, 2, 3, 4)).toList();
        List<Tensor> to =
                groups.stream().map(group -> filled(group, 0, 0, 0, 0)).toList();
        long[][] sends = {{toFirst, toSecond}, {toFirst, toFirst}};
        long[][] takes = {{toFirst, firstTakes}, {secondTakes, toFirst}};

        List<Throwable> failures = failures(groups, group -> {
            long[] out = sends[group.rank()];
            long[] in = takes[group.rank()];
            return group.allToAll(
                    from.get(group.rank()).slice(0, out[0] + out[1]),
                    out,
                    to.get(group.rank()).slice(0, in[0] + in[1]),
                    in);
        });

        if (differ) {
            assertThat(failures)
                    .hasSize(2)
                    .allSatisfy(
                            each -> assertThat(each)
                                    .isInstanceOf(MismatchException.class)
                                    .hasMessageContaining(
                                            "rank 0 called all-to-all(FLOAT32 × [1, 3] to [1, 1]), rank 1 called all-to-all(FLOAT32 × [1, 1] to [2, 1])"));
        } else {
            assertThat(failures).isEmpty();
            assertThat(to.get(1).toFloatArray()).containsExactly(2, 3, 2, 0);
        }
    }

    @Test
    void handle_ofAnEnqueuedCall_isOneThatStreamsWaitFor() {
        List<ProcessGroup> groups = world(2);
        List<Tensor> sums = groups.stream().map(group -> filled(group, 1)).toList();
        all(
                groups,
                group -> group.enqueued()
                        .allReduce(sums.get(group.rank()), ReduceOp.SUM)
                        .flatMap(work -> {
                            assertThat(work.handle()).isInstanceOf(CudaHandle.class);
                            return work.handle().completed();
                        }));
        assertThat(sums.getFirst().toFloatArray()).containsExactly(2);
    }

    @Test
    void leastAndGreatest_ofFloats_areNccls() {
        List<ProcessGroup> groups = world(2);
        List<Tensor> least = groups.stream()
                .map(group -> filled(group, group.rank(), -group.rank(), 7))
                .toList();
        List<Tensor> greatest = groups.stream()
                .map(group -> filled(group, group.rank(), -group.rank(), 7))
                .toList();
        all(
                groups,
                group -> group.allReduce(least.get(group.rank()), ReduceOp.MIN)
                        .then(group.allReduce(greatest.get(group.rank()), ReduceOp.MAX)));
        assertThat(least.getFirst().toFloatArray()).containsExactly(0, -1, 7);
        assertThat(greatest.getLast().toFloatArray()).containsExactly(1, 0, 7);
    }

    @Test
    void tensor_onAnotherDevice_isRefusedByItsRank_onAll() {
        List<ProcessGroup> groups = world(2);
        Tensor elsewhere = groups.get(1).allocate(new Device(CudaMemory.KIND, 1), DType.FLOAT32, 1);
        tensors.add(elsewhere);
        Tensor here = filled(groups.getFirst(), 1);

        List<Throwable> failures =
                failures(groups, group -> group.allReduce(group.rank() == 0 ? here : elsewhere, ReduceOp.SUM));

        assertThat(failures)
                .hasSize(2)
                .allSatisfy(each -> assertThat(each)
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("rank=1")
                        .hasMessageContaining("cuda:1")
                        .hasMessageContaining("cuda:0"));
    }

    @Test
    void memory_thatIsNotThere_failsTheCall() {
        List<ProcessGroup> groups = world(2);
        List<List<Tensor>> parts = groups.stream()
                .map(group -> List.of(filled(group, 1), filled(group, 2)))
                .toList();
        List<Tensor> sums = groups.stream().map(group -> filled(group, 0)).toList();
        CudaDouble.JVM.memory(1);
        try {
            List<Throwable> failures = failures(
                    groups,
                    group -> group.reduceScatter(parts.get(group.rank()), sums.get(group.rank()), ReduceOp.SUM));
            assertThat(failures)
                    .hasSize(2)
                    .allSatisfy(each ->
                            assertThat(each).isInstanceOf(CommException.class).hasMessageContaining("memory"));
        } finally {
            CudaDouble.JVM.memory(0);
        }
    }

    @Test
    void memory_ofNccls_isRegisteredOnceWithEachCommunicatorThatUsesIt() {
        List<ProcessGroup> groups = world(2, "nccl-registering");
        List<Tensor> sums = groups.stream().map(group -> filled(group, 1, 2)).toList();
        List<ProcessGroup> others = Flux.fromIterable(groups)
                .flatMapSequential(group -> group.newGroup(0, 1), 2)
                .collectList()
                .block(LIMIT);
        for (int i = 0; i < 3; i++) {
            all(groups, group -> group.allReduce(sums.get(group.rank()).slice(1, 1), ReduceOp.SUM));
        }
        assertThat(nccl.calls("CommRegister")).isEqualTo(2);
        all(others, group -> group.allReduce(sums.get(group.rank()), ReduceOp.SUM));
        assertThat(nccl.calls("CommRegister")).isEqualTo(4);
        assertThat(nccl.calls("MemAlloc")).isPositive();
        assertThat(sums.getFirst().toFloatArray()).containsExactly(2, 32);
    }

    @Test
    void engine_whoseCommunicatorCannotBeMade_isAnErrorOfTheWorld() {
        world(1);
        nccl.plan("CommInitRankConfig", NcclDouble.ANY, NcclResult.SYSTEM_ERROR, 0);
        assertThatThrownBy(() -> NcclWorlds.Ranks.open(2, "cpu:links,cuda:" + NcclWorlds.NEWEST))
                .hasMessageContaining("engine=" + NcclWorlds.NEWEST)
                .hasMessageContaining("SYSTEM_ERROR");
        NcclDoubleProvider.taken().forEach(NcclDoubleProvider.Opened::awaitEnd);
    }

    @Test
    void manyGroups_oneAfterTheOther_leaveNoCommunicator() {
        List<ProcessGroup> groups = world(2);
        List<Tensor> sums = groups.stream().map(group -> filled(group, 1)).toList();
        int before = nccl.comms();
        for (int i = 0; i < MANY; i++) {
            List<ProcessGroup> made = Flux.fromIterable(groups)
                    .flatMapSequential(group -> group.newGroup(0, 1), 2)
                    .collectList()
                    .block(LIMIT);
            all(Objects.requireNonNull(made), group -> group.allReduce(sums.get(group.rank()), ReduceOp.MAX));
            made.forEach(ProcessGroup::close);
        }
        all(groups, group -> group.allReduce(sums.get(group.rank()), ReduceOp.MAX));
        assertThat(nccl.comms()).isLessThan(before + 2 * MANY);
    }
}

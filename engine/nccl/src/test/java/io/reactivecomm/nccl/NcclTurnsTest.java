package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.Device;
import io.reactivecomm.nccl.cuda.CudaDevice;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Turn;
import io.reactivecomm.testkit.NeedsGcc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engines of two ranks without what is in front of them: turns come as a test wants them. */
@ExtendWith(NeedsGcc.class)
class NcclTurnsTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int OUT_OF_MEMORY = 2;
    private static final int SIZE = 2;
    private static final Device GPU = new Device(CudaMemory.KIND, 0);

    private final NcclDouble nccl = NcclDoubleProvider.nccl(NcclDoubleDialect.NCCL);
    private final List<Rank> ranks = new ArrayList<>();
    /** What would be told if nobody says why. */
    private final Queue<Runnable> later = new ConcurrentLinkedQueue<>();

    private final List<Tensor> tensors = new ArrayList<>();
    private final LocalWorld world = ReactiveComm.local(SIZE);
    private final long eventsBefore = CudaDouble.JVM.held(CudaDouble.Held.EVENTS);

    private record Rank(int number, NcclEngine engine, CudaDevice device, PatientStream stream, NcclGroup all) {}

    @BeforeEach
    void open() {
        nccl.clear();
        CudaDouble.JVM.forgetFaults();
        byte[] id = new NcclSetup(nccl.library()).uniqueId();
        List<CompletableFuture<Rank>> opening = IntStream.range(0, SIZE)
                .mapToObj(rank -> CompletableFuture.supplyAsync(
                        () -> open(rank, id),
                        run -> Thread.ofPlatform().daemon().start(run)))
                .toList();
        opening.forEach(each ->
                ranks.add(each.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join()));
    }

    private Rank open(int rank, byte[] id) {
        CudaMemory memory = CudaMemory.open(0, "rank" + rank);
        CudaDevice device = memory.device(0);
        PatientStream stream = new PatientStream(new CudaLaunchStream(memory, device));
        NcclSetup setup = new NcclSetup(nccl.library());
        LaunchContext context = new LaunchContext(
                setup,
                new NcclCalls(setup),
                stream,
                world.groups().get(rank),
                (task, nanos) -> later.add(task),
                Abilities.of(nccl.library()),
                new NcclMemory(setup, stream, Long.MAX_VALUE));
        CommMaker maker = new CommMaker(setup, context.calls(), stream);
        NcclGroup all = device.launches()
                .call(() -> maker.join(SIZE, id, rank, () -> false))
                .orElseThrow();
        return new Rank(rank, new NcclEngine(context, rank, all), device, stream, all);
    }

    @AfterEach
    void nothingIsLeft() {
        CudaDouble.JVM.fail("", 0, 0, 0);
        nccl.polls(1);
        ranks.forEach(rank -> rank.engine().close());
        tensors.forEach(Tensor::close);
        tensors.clear();
        ranks.forEach(rank -> rank.device()
                .ended()
                .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                .join());
        world.close();
        assertThat(nccl.comms()).isZero();
        assertThat(nccl.faults()).isEmpty();
        assertThat(CudaDouble.JVM.faults()).isEmpty();
        nccl.clear();
    }

    private static EngineGroup group(long id, int rank) {
        return new EngineGroup(id, 0, List.of(0, 1), rank);
    }

    private Tensor tensor(Rank rank) {
        return tensor(rank, 8);
    }

    private Tensor tensor(Rank rank, long count) {
        Tensor made = Objects.requireNonNull(rank.stream().memory()).allocate(GPU, DType.FLOAT32, count);
        tensors.add(made);
        return made;
    }

    private static Turn.Call call(Rank rank, long group, Collective collective, TurnEnd end) {
        return new Turn.Call(new EngineCall(group(group, rank.number()), "test", 0, 1, collective, LIMIT, 0), end);
    }

    private Collective sum(Rank rank) {
        return sum(rank, 8);
    }

    private Collective sum(Rank rank, long count) {
        Tensor tensor = tensor(rank, count);
        return new AllReduce(tensor, tensor, ReduceOp.SUM);
    }

    /** Needs memory to gather in, as its outputs do not follow each other. */
    private Collective gathered(Rank rank) {
        Tensor last = tensor(rank);
        tensor(rank);
        return new AllGather(tensor(rank), List.of(tensor(rank), last));
    }

    private static void spinUntil(BooleanSupplier isSo) {
        for (long deadline = System.nanoTime() + LIMIT.toNanos();
                !isSo.getAsBoolean() && System.nanoTime() < deadline; ) {
            Thread.onSpinWait();
        }
    }

    private static Failure failure(String text) {
        return new Failure(Failure.Kind.INTERNAL, 0, text);
    }

    /** Else a large one would wait for the tensors of all others. */
    @Test
    void smallCallsOfABatch_areOneGroup_andEachLargeOneIsAnother() {
        long large = GroupCut.LARGE_BYTES / Float.BYTES;
        List<TurnEnd> ends = new ArrayList<>();
        for (Rank rank : ranks) {
            List<Turn> batch = new ArrayList<>();
            for (long count : new long[] {8, large, large - 1, large + 1, 9}) {
                TurnEnd end = new TurnEnd();
                ends.add(end);
                batch.add(call(rank, 0, sum(rank, count), end));
            }
            rank.engine().run(batch);
        }
        assertThat(ends).allSatisfy(end -> assertThat(end.await()).isEqualTo("succeeded"));
        for (int rank = 0; rank < SIZE; rank++) {
            int own = rank;
            List<NcclDouble.Launch> launches =
                    nccl.launches().stream().filter(each -> each.rank() == own).toList();
            assertThat(launches.subList(launches.size() - 3, launches.size()))
                    .extracting(NcclDouble.Launch::calls)
                    .containsExactly(3, 1, 1);
        }
    }

    /** What it launched would meet the call that is missing here on the other rank, and take its elements. */
    @Test
    void callThatFailsOnOneRank_leavesNothingOfItsGroupToBeLaunched() {
        List<TurnEnd> ends = new ArrayList<>();
        List<List<Turn>> first = new ArrayList<>();
        List<List<Turn>> second = new ArrayList<>();
        for (Rank rank : ranks) {
            List<TurnEnd> own = List.of(new TurnEnd(), new TurnEnd(), new TurnEnd());
            ends.addAll(own);
            first.add(List.of(call(rank, 0, gathered(rank), own.get(0)), call(rank, 0, sum(rank), own.get(1))));
            second.add(List.of(call(rank, 0, sum(rank), own.get(2))));
        }
        CudaDouble.JVM.fail("cuMemAllocAsync", OUT_OF_MEMORY, 0, 1);
        ranks.getFirst().engine().run(first.get(0));
        ranks.getFirst().engine().run(second.get(0));
        assertThat(ends.getFirst().await()).contains("not so much memory left");
        ranks.getLast().engine().run(first.get(1));
        ranks.getLast().engine().run(second.get(1));
        ranks.getFirst().device().launches().call(() -> 0);
        ranks.getLast().device().launches().call(() -> 0);

        ranks.forEach(rank -> rank.engine().abandonGroup(group(0, rank.number()), failure("over")));

        assertThat(ends.subList(0, 3)).allSatisfy(end -> assertThat(end.await()).contains("not so much memory left"));
        assertThat(ends.subList(3, 6)).allSatisfy(end -> assertThat(end.await()).isEqualTo("over"));
    }

    /** What is in progress on the parent may stay so for ever. */
    @Test
    void openingThatIsGivenUpHalfWay_failsTheCallsOfTheGroupThatItIsSplitFrom() {
        Rank rank = ranks.getFirst();
        TurnEnd opened = new TurnEnd();
        nccl.holdCall("CommSplit");
        rank.engine().run(List.of(new Turn.Opening(group(7, 0), group(0, 0), opened)));
        nccl.awaitHeld(1);

        rank.engine().abandonGroup(group(7, 0), failure("over"));
        nccl.holdCall("");

        assertThat(opened.await()).isEqualTo("done");
        TurnEnd later = new TurnEnd();
        rank.engine().run(List.of(call(rank, 0, sum(rank), later)));
        assertThat(later.await()).contains("another was being split from it");
    }

    @Test
    void openingThatIsGivenUpBeforeItBegins_leavesTheGroupAsItIsThatItIsSplitFrom() {
        Rank rank = ranks.getFirst();
        List<TurnEnd> ends = List.of(new TurnEnd(), new TurnEnd());
        rank.engine().run(List.of(call(rank, 0, sum(rank), ends.getFirst())));
        TurnEnd opened = new TurnEnd();
        rank.engine().run(List.of(new Turn.Opening(group(7, 0), group(0, 0), opened)));

        rank.engine().abandonGroup(group(7, 0), failure("over"));

        assertThat(opened.await()).isEqualTo("done");
        Rank other = ranks.getLast();
        other.engine().run(List.of(call(other, 0, sum(other), ends.getLast())));
        assertThat(ends).extracting(TurnEnd::await).containsOnly("succeeded");
    }

    /** NCCL may wait for ever where a communicator is split that has calls under way. */
    @Test
    void group_isSplitWhenAllCallsBeforeHaveEnded() {
        nccl.delay(NcclDouble.ANY, 20_000);
        List<TurnEnd> ends = new ArrayList<>();
        for (Rank rank : ranks) {
            List<TurnEnd> own = List.of(new TurnEnd(), new TurnEnd());
            ends.addAll(own);
            rank.engine().run(List.of(call(rank, 0, sum(rank), own.getFirst())));
            rank.engine()
                    .run(List.of(new Turn.Opening(group(7, rank.number()), group(0, rank.number()), own.getLast())));
        }

        assertThat(ends).extracting(TurnEnd::await).containsExactly("succeeded", "done", "succeeded", "done");
    }

    /** What an abort ends on the device is no result, however late the thread is that tells of it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void callOfAGroupThatEnds_hasFailed_whenTheDeviceLetsGoOfIt(boolean isClosed) {
        Rank rank = ranks.getFirst();
        TurnEnd end = new TurnEnd();
        rank.engine().run(List.of(call(rank, 0, sum(rank), end)));
        rank.device().launches().call(() -> 0);
        rank.stream().await(end.told());

        if (isClosed) {
            rank.engine().close();
        } else {
            rank.engine().abandonGroup(group(0, 0), failure("over"));
        }

        assertThat(end.await()).contains(isClosed ? "the world is closed" : "over");
    }

    /** NCCL only says that another rank is gone; why comes over links. */
    @Test
    void groupThatAnotherRankHasEnded_failsWithTheCauseOfThat() {
        Rank rank = ranks.getFirst();
        TurnEnd end = new TurnEnd();
        rank.engine().run(List.of(call(rank, 0, sum(rank), end)));
        rank.device().launches().call(() -> 0);
        ranks.getLast().engine().abandonGroup(group(0, 1), failure("over"));
        spinUntil(() -> !later.isEmpty() || end.told().isDone());

        rank.engine().abandonGroup(group(0, 0), failure("over"));

        later.forEach(Runnable::run);
        assertThat(end.await()).isEqualTo("over");
    }

    /** Else nobody would ever tell. */
    @Test
    void groupThatAnotherRankHasEnded_withoutAWord_failsWithWhatNcclSays() {
        Rank rank = ranks.getFirst();
        TurnEnd end = new TurnEnd();
        rank.engine().run(List.of(call(rank, 0, sum(rank), end)));
        rank.device().launches().call(() -> 0);
        ranks.getLast().engine().abandonGroup(group(0, 1), failure("over"));
        spinUntil(() -> !later.isEmpty());

        later.forEach(Runnable::run);

        assertThat(end.await()).contains("REMOTE_ERROR");
    }

    /** The order of calls is by memory that CUDA has allocated. */
    @Test
    void tensorThatCudaDoesNotKnow_failsItsCall_andHoldsUpNoOther() {
        Rank rank = ranks.getFirst();
        Tensor unknown =
                Tensor.onDevice(Objects.requireNonNull(rank.stream().memory()), GPU, 64, () -> {}, DType.FLOAT32, 8);
        tensors.add(unknown);
        TurnEnd end = new TurnEnd();
        rank.engine().run(List.of(call(rank, 0, new AllReduce(unknown, unknown, ReduceOp.SUM), end)));
        TurnEnd later = new TurnEnd();
        rank.engine().run(List.of(call(rank, 0, sum(rank), later)));

        assertThat(end.await()).contains("memory of a CUDA device is not known");
        assertThat(later.await()).contains("memory of a CUDA device is not known");
    }

    @Test
    void streamThatCannotWaitForOneCall_leavesNoEventOfTheOthers() {
        Rank rank = ranks.getFirst();
        List<TurnEnd> ends = List.of(new TurnEnd(), new TurnEnd(), new TurnEnd());
        List<Turn> calls =
                ends.stream().<Turn>map(end -> call(rank, 0, sum(rank), end)).toList();
        CudaDouble.JVM.fail("cuStreamWaitEvent", OUT_OF_MEMORY, 0, 1);
        rank.engine().run(calls);

        assertThat(ends).allSatisfy(end -> assertThat(end.await()).contains("cuStreamWaitEvent"));
        nothingIsLeft();
        assertThat(CudaDouble.JVM.held(CudaDouble.Held.EVENTS)).isEqualTo(eventsBefore);
    }

    @Test
    void sinkThatThrows_keepsTheEndFromNoOther() {
        Rank rank = ranks.getFirst();
        List<TurnEnd> ends = List.of(new TurnEnd(), new TurnEnd(), new TurnEnd());
        List<Turn> calls = new ArrayList<>();
        for (TurnEnd end : ends) {
            calls.add(call(rank, 0, sum(rank), end));
            end.throwWhenTold();
        }
        rank.engine().run(calls);
        rank.device().launches().call(() -> 0);

        assertThatThrownBy(() -> rank.engine().abandonGroup(group(0, 0), failure("over")))
                .isInstanceOf(InternalError.class);

        assertThat(ends).allSatisfy(end -> assertThat(end.await()).isEqualTo("over"));
    }

    /** Who ends a communicator may take long, and the thread has others' calls to launch. */
    @Test
    void groupThatIsEnding_holdsUpNobodyWhoAsks() {
        Rank rank = ranks.getFirst();
        nccl.holdCall("CommAbort");
        rank.engine().abandonGroup(group(0, 0), failure("over"));
        nccl.awaitHeld(1);

        assertThat(CompletableFuture.supplyAsync(rank.all()::isSettled)
                        .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                        .join())
                .isTrue();
        nccl.holdCall("");
    }
}

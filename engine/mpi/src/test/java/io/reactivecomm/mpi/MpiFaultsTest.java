package io.reactivecomm.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.LeakCheck;
import io.reactivecomm.testkit.NeedsGcc;
import io.reactivecomm.testkit.RisingDeadline;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Ranks whose MPI does not go on, or refuses something. */
@ExtendWith(NeedsGcc.class)
class MpiFaultsTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(400);

    private LeakCheck leaks;

    @BeforeEach
    void begin() {
        leaks = LeakCheck.begin();
    }

    @AfterEach
    void nothingIsLeft() {
        leaks.end(0);
    }

    @AfterAll
    static void noTensorIsLeft() {
        LeakCheck.collectAndRequireTensorsClosed();
    }

    private static MpiWorlds.Ranks world(int size) {
        return MpiWorlds.Ranks.open(size, DoubleDialect.OPEN_MPI.engine());
    }

    private static List<Throwable> errors(WorldContract.World world, Function<ProcessGroup, Mono<?>> call) {
        List<Mono<Throwable>> all = world.groups().stream()
                .map(group -> call.apply(group)
                        .<Throwable>map(done -> new AssertionError("succeeded: " + done))
                        .onErrorResume(Mono::just))
                .toList();
        return Objects.requireNonNull(
                Flux.mergeSequential(all, all.size(), 1).collectList().block(LIMIT));
    }

    private static void requireWorking(WorldContract.World world) {
        requireSums(world.groups());
    }

    /** Barriers go by links. */
    private static void requireSums(List<ProcessGroup> groups) {
        Mono.when(groups.stream().map(MpiFaultsTest::sum).toList()).block(LIMIT);
    }

    private static Mono<Work> sum(ProcessGroup group) {
        Tensor tensor = Tensor.of(new float[] {1});
        return group.allReduce(tensor, ReduceOp.SUM)
                .doOnNext(work -> assertThat(work.backend()).isEqualTo(DoubleDialect.OPEN_MPI.engine()))
                .doFinally(end -> tensor.close());
    }

    /** Small ones are looked at on the loop, large ones wait on a thread. */
    @ParameterizedTest
    @ValueSource(ints = {3, 100_000})
    void rankWhoseMpiStops_callsEndAtTheirDeadline_andTensorsWhenItGoesOn(int count) throws Exception {
        try (MpiWorlds.Ranks world = world(2)) {
            requireWorking(world);
            List<Tensor> tensors = IntStream.range(0, 2)
                    .mapToObj(ignored -> Tensor.allocate(DType.FLOAT32, count))
                    .toList();
            world.meeting().stop(1, true);

            List<Throwable> errors =
                    errors(world, group -> group.timeout(SHORT).allReduce(tensors.get(group.rank()), ReduceOp.SUM));

            assertThat(errors)
                    .allSatisfy(error -> assertThat(error).isInstanceOf(CommException.class))
                    .anySatisfy(error -> assertThat(error).isInstanceOf(CommTimeoutException.class));
            List<CompletableFuture<Void>> released =
                    tensors.stream().map(tensor -> tensor.released().toFuture()).toList();
            world.meeting().stop(1, false);
            for (CompletableFuture<Void> each : released) {
                each.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
            tensors.forEach(Tensor::close);
        }
    }

    /** What MPI has begun may write to the tensor until MPI has ended it. */
    @Test
    void smallCallThatHasFailed_holdsItsTensor_whileMpiHasIt() {
        RisingDeadline.untilInTime(MpiFaultsTest::holdsItsTensorAfter);
    }

    /** {@return false if the deadline struck before MPI had the call on both ranks} */
    private static boolean holdsItsTensorAfter(Duration deadline) {
        try (MpiWorlds.Ranks world = world(2)) {
            List<Tensor> tensors = IntStream.range(0, 2)
                    .mapToObj(ignored -> Tensor.allocate(DType.FLOAT32, 3))
                    .toList();
            world.meeting().stop(1, true);
            errors(world, group -> group.timeout(deadline).allReduce(tensors.get(group.rank()), ReduceOp.SUM));
            boolean isInTime = world.meeting().pending() == 2;

            CompletableFuture<Void> released = tensors.getFirst().released().toFuture();
            if (isInTime) {
                assertThat(Objects.requireNonNull(catchTimeout(released))).isInstanceOf(TimeoutException.class);
            }

            world.meeting().stop(1, false);
            if (isInTime) {
                released.join();
            }
            tensors.forEach(Tensor::close);
            return isInTime;
        }
    }

    private static void await(BooleanSupplier condition) {
        for (long deadline = System.nanoTime() + LIMIT.toNanos();
                !condition.getAsBoolean() && System.nanoTime() < deadline; ) {
            Thread.onSpinWait();
        }
    }

    private static Throwable catchTimeout(CompletableFuture<Void> released) {
        try {
            released.get(50, TimeUnit.MILLISECONDS);
            return new AssertionError("released");
        } catch (Exception e) {
            return e;
        }
    }

    /** Of three ranks two have it. */
    @Test
    void largeMessage_waitsForItsOtherEndAlone() {
        try (MpiWorlds.Ranks world = world(3);
                Tensor sent = Tensor.allocate(DType.FLOAT32, 100_000);
                Tensor received = Tensor.allocate(DType.FLOAT32, 100_000)) {
            List<ProcessGroup> groups = world.groups();

            Mono.when(
                            groups.get(0).timeout(LIMIT).send(sent, 1, 0),
                            groups.get(1).timeout(LIMIT).receive(received, 0, 0))
                    .block(LIMIT);
        }
    }

    /** MPI may not be ended while it has a call: the double would say so. */
    @Test
    void worldThatIsAborted_whileMpiHasACall_leavesMpiAsItIs() {
        try (MpiWorlds.Ranks world = world(2)) {
            List<Tensor> tensors = IntStream.range(0, 2)
                    .mapToObj(ignored -> Tensor.allocate(DType.FLOAT32, 3))
                    .toList();
            requireWorking(world);
            world.meeting().stop(1, true);
            List<CompletableFuture<Work>> calls = world.groups().stream()
                    .map(group -> group.allReduce(tensors.get(group.rank()), ReduceOp.SUM)
                            .toFuture())
                    .toList();
            await(() -> world.meeting().pending() == 2);

            world.groups().get(0).abort("enough");

            assertThat(calls)
                    .allSatisfy(call -> assertThat(DoubleRanks.failure(call)).isInstanceOf(CommException.class));
            world.world().close();
            await(() -> world.meeting().kept() == 2);
            assertThat(world.meeting().kept()).as("what MPI may write to later").isEqualTo(2);
            world.close();
            assertThat(world.meeting().ended()).isZero();
            tensors.forEach(Tensor::close);
        }
    }

    @Test
    void tooManyGroups_areAnErrorThatSaysWhatToDo_andTheWorldGoesOn() {
        try (MpiWorlds.Ranks world = world(2)) {
            // A group has two, and the world's are counted.
            world.meeting().set(6, 3);
            List<List<ProcessGroup>> made = new ArrayList<>();
            List<Mono<ProcessGroup>> making = List.of();
            for (int i = 0; i < 2; i++) {
                making = world.groups().stream()
                        .map(group -> group.newGroup(0, 1))
                        .toList();
                made.add(Flux.mergeSequential(making, 2, 1).collectList().block(LIMIT));
            }
            made.forEach(MpiFaultsTest::requireSums);

            List<Throwable> errors = errors(world, group -> group.newGroup(0, 1).flatMap(MpiFaultsTest::sum));

            assertThat(errors)
                    .allSatisfy(
                            error -> assertThat(error)
                                    .isInstanceOf(CommException.class)
                                    .hasMessageContaining("MPI cannot open a group: rank=")
                                    .hasMessageContaining(
                                            "Too many communicators (0/6 free on this process); close groups that are not needed"));
            requireWorking(world);
            made.getFirst().forEach(ProcessGroup::close);
            requireGroup(world);
        }
    }

    /** More than twice as many as MPICH has at once. */
    @Test
    @Tag("thorough")
    @Timeout(300)
    void fiveThousandGroups_oneAfterTheOther_areFreed() {
        try (MpiWorlds.Ranks world = world(2)) {
            requireWorking(world);
            int ofTheWorld = world.meeting().communicators();
            for (int turn = 0; turn < 5_000; turn++) {
                List<Mono<ProcessGroup>> making = world.groups().stream()
                        .map(group -> group.newGroup(0, 1))
                        .toList();
                List<ProcessGroup> groups = Objects.requireNonNull(
                        Flux.mergeSequential(making, 2, 1).collectList().block(LIMIT));
                requireSums(groups);
                groups.forEach(ProcessGroup::close);
            }
            for (int turn = 0; world.meeting().communicators() > ofTheWorld && turn < 10_000; turn++) {
                requireWorking(world);
            }

            assertThat(world.meeting().communicators()).isEqualTo(ofTheWorld);
        }
    }

    /** What is freed is freed in the order of calls: so the next group may come before it. */
    private static void requireGroup(MpiWorlds.Ranks world) {
        for (int turn = 0; world.meeting().communicators() > 8 && turn < 1_000; turn++) {
            requireWorking(world);
        }
        List<Mono<ProcessGroup>> making =
                world.groups().stream().map(group -> group.newGroup(1, 0)).toList();
        List<ProcessGroup> groups = Objects.requireNonNull(
                Flux.mergeSequential(making, 2, 1).collectList().block(LIMIT));
        requireSums(groups);
    }

    @Test
    void partsOfAPair_thatDiffer_areAMismatchOnAll_andTheGroupGoesOn() {
        try (MpiWorlds.Ranks world = world(3);
                Tensor input = Tensor.allocate(DType.INT32, 6)) {
            List<Tensor> outputs = IntStream.range(0, 3)
                    .mapToObj(rank -> Tensor.allocate(DType.INT32, rank == 2 ? 7 : 3 * (rank + 1)))
                    .toList();

            List<Throwable> errors = errors(world, group -> {
                long each = group.rank() + 1;
                long[] takes = {group.rank() == 2 ? 1 : each, each, each};
                return group.allToAll(input, new long[] {1, 2, 3}, outputs.get(group.rank()), takes);
            });

            assertThat(errors)
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(MismatchException.class)
                            .hasMessageContaining("rank 2 called all-to-all(INT32 × [1, 2, 3] to [1, 3, 3])"));
            assertThat(errors)
                    .allSatisfy(
                            error -> assertThat(error).hasMessage(errors.get(2).getMessage()));
            requireWorking(world);
            outputs.forEach(Tensor::close);
        }
    }

    /** The second of two calls is right, and the first is not. */
    @Test
    void partsOfAPair_inAScope_areComparedInAllItsCalls() {
        try (MpiWorlds.Ranks world = world(2)) {
            List<Tensor> all = new ArrayList<>();

            List<Throwable> errors = errors(
                    world,
                    group -> group.coalesce(scope -> {
                        for (int turn = 0; turn < 2; turn++) {
                            Tensor input = Tensor.allocate(DType.INT32, group.rank() == 0 ? 1 : 5 - turn);
                            List<Tensor> outputs =
                                    List.of(Tensor.allocate(DType.INT32, 1), Tensor.allocate(DType.INT32, 4));
                            synchronized (all) {
                                all.add(input);
                                all.addAll(outputs);
                            }
                            scope.gather(input, group.rank() == 0 ? outputs : List.of(), 0);
                        }
                    }));

            assertThat(errors).allSatisfy(error -> assertThat(error).isInstanceOf(MismatchException.class));
            assertThat(errors.getFirst())
                    .hasMessageContaining(
                            "rank 1 called coalesced(gather(INT32 × 5, root=0), gather(INT32 × 4, root=0))");
            requireWorking(world);
            all.forEach(Tensor::close);
        }
    }

    /** Of a group that a rank closes while MPI has one of its calls: nothing that comes later waits behind that. */
    @Test
    void thread_thatMpiHoldsForAClosedGroup_holdsUpNoOtherCall() {
        try (MpiWorlds.Ranks world = world(3);
                Tensor held = Tensor.allocate(DType.FLOAT32, 100_000);
                Tensor tensor = Tensor.allocate(DType.FLOAT32, 100_000)) {
            requireWorking(world);
            List<Mono<ProcessGroup>> making =
                    world.groups().stream().map(group -> group.newGroup(0, 1)).toList();
            List<ProcessGroup> pair = Objects.requireNonNull(
                    Flux.mergeSequential(making, 3, 1).collectList().block(LIMIT));
            requireSums(pair);
            world.meeting().stop(1, true);
            CompletableFuture<Work> sent = pair.get(0).send(held, 1, 0).toFuture();
            CompletableFuture<Work> received = pair.get(1).receive(tensor, 0, 0).toFuture();
            await(() -> world.meeting().pending() == 2);

            pair.forEach(ProcessGroup::close);

            assertThat(DoubleRanks.failure(sent)).isInstanceOf(CommException.class);
            assertThat(DoubleRanks.failure(received)).isInstanceOf(CommException.class);
            requireMessage(world.groups().get(0), world.groups().get(2));
            world.meeting().stop(1, false);
        }
    }

    private static void requireMessage(ProcessGroup sender, ProcessGroup receiver) {
        try (Tensor sent = Tensor.allocate(DType.FLOAT32, 100_000);
                Tensor received = Tensor.allocate(DType.FLOAT32, 100_000)) {
            Mono.when(sender.send(sent, receiver.rank(), 1), receiver.receive(received, sender.rank(), 1))
                    .block(LIMIT);
        }
    }

    /** One request of several has failed: the others may still be written to. */
    @Test
    void largeCallOfMessages_thatMpiFails_holdsItsTensors() {
        try (MpiWorlds.Ranks world = world(3)) {
            requireWorking(world);
            List<Tensor> inputs = IntStream.range(0, 3)
                    .mapToObj(rank -> Tensor.allocate(DType.INT32, 3 * (rank + 1)))
                    .toList();
            List<Tensor> outputs = IntStream.range(0, 3)
                    .mapToObj(rank -> Tensor.allocate(DType.INT32, 6))
                    .toList();
            world.meeting().failWaits(true);

            List<Throwable> errors = errors(world, group -> {
                long each = group.rank() + 1;
                return group.allToAll(
                        inputs.get(group.rank()), new long[] {each, each, each}, outputs.get(group.rank()), new long[] {
                            1, 2, 3
                        });
            });
            world.meeting().failWaits(false);

            assertThat(errors)
                    .allSatisfy(error -> assertThat(error).isInstanceOf(CommException.class))
                    .anySatisfy(error -> assertThat(error).hasMessageContaining("MPI_Wait"));
            List<Tensor> held = outputs.stream()
                    .filter(tensor -> !tensor.released().toFuture().isDone())
                    .toList();
            assertThat(held).isNotEmpty();
            world.world().close();
            // The rounds of small calls are kept, too, as the world has failed.
            assertThat(world.meeting().kept()).isEqualTo(3 + held.size());
            inputs.forEach(Tensor::close);
            outputs.forEach(Tensor::close);
        }
    }

    /** A rank that is a little ahead at the end has not gone in bad order. */
    @Test
    void rankThatLeavesFirst_afterAGroupThatAllHaveClosed_letsMpiEndOnAll() {
        try (MpiWorlds.Ranks world = world(3)) {
            List<Mono<ProcessGroup>> making = world.groups().stream()
                    .map(group -> group.newGroup(0, 1, 2))
                    .toList();
            List<ProcessGroup> groups = Objects.requireNonNull(
                    Flux.mergeSequential(making, 3, 1).collectList().block(LIMIT));
            requireSums(groups);

            groups.get(2).close();
            world.groups().get(2).close();
            groups.get(0).close();
            groups.get(1).close();
            world.world().close();

            await(() -> world.meeting().ended() == 3);
            assertThat(world.meeting().ended()).isEqualTo(3);
        }
    }

    @Test
    void worldThatIsClosed_endsMpiOnAllRanks() {
        try (MpiWorlds.Ranks world = world(3)) {
            requireWorking(world);
            world.world().close();
            await(() -> world.meeting().ended() == 3);

            assertThat(world.meeting().ended()).isEqualTo(3);
        }
    }
}

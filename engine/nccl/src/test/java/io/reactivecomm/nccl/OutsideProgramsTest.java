package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.testkit.NeedsGcc;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Programs that once did not do what the Javadoc of groups, tensors and device memory says. */
@ExtendWith(NeedsGcc.class)
@Timeout(60)
class OutsideProgramsTest {

    private static final Device GPU = new Device(CudaMemory.KIND, 0);
    private static final String BACKEND = "cpu:links,cuda:" + NcclWorlds.NEWEST;
    private static final long LIMIT_SECONDS = 20;
    private static final int COUNT = 500;
    /** What depends on who is told first shows in some rounds. */
    private static final int ROUNDS = 5;
    /** One round in some thirty showed it. */
    private static final int RARE_ROUNDS = 30;

    private final List<Tensor> made = new ArrayList<>();

    @AfterEach
    void letTheDeviceGoOn() {
        CudaDouble.JVM.hold(0, false);
        closeTensors();
        NcclDoubleProvider.nccl(NcclDoubleDialect.NCCL).clear();
        CudaDouble.JVM.forgetFaults();
    }

    private Tensor ones(ProcessGroup group, int count) {
        float[] values = new float[count];
        Arrays.fill(values, 1);
        Tensor tensor = kept(group.allocate(GPU, DType.FLOAT32, count));
        group.move(List.of(Move.copy(Tensor.of(values), tensor))).completed().block();
        return tensor;
    }

    private synchronized Tensor kept(Tensor tensor) {
        made.add(tensor);
        return tensor;
    }

    private NcclWorlds.Ranks world(int size) {
        return NcclWorlds.Ranks.open(size, BACKEND);
    }

    /** {@return how it ended on each rank: null if well} */
    private static <T> List<Throwable> ends(List<CompletableFuture<T>> all) {
        return all.stream().map(OutsideProgramsTest::end).toList();
    }

    private static Throwable end(CompletableFuture<?> one) {
        try {
            one.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (TimeoutException e) {
            return new AssertionError("it does not end", e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> List<CompletableFuture<T>> begun(
            List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> call) {
        return groups.stream().map(group -> call.apply(group).toFuture()).toList();
    }

    private static void succeed(List<ProcessGroup> groups, Function<ProcessGroup, Mono<?>> call) {
        assertThat(ends(begun(groups, group -> call.apply(group).then()))).containsOnlyNulls();
    }

    private static List<ProcessGroup> groupsOfAll(List<ProcessGroup> groups) {
        return begun(groups, group -> group.newGroup(0, 1, 2)).stream()
                .map(CompletableFuture::join)
                .toList();
    }

    /** {@return what is on a paused device on all ranks} */
    private List<CompletableFuture<Work>> callsOnThePausedDevice(List<ProcessGroup> groups) {
        List<Tensor> tensors = groups.stream().map(group -> ones(group, COUNT)).toList();
        succeed(groups, group -> group.allReduce(tensors.get(group.rank()), ReduceOp.MAX));
        CudaDouble.JVM.hold(0, true);
        List<CompletableFuture<Work>> calls =
                begun(groups, group -> group.enqueued().allReduce(tensors.get(group.rank()), ReduceOp.SUM));
        List<CompletableFuture<Work>> plain = begun(groups, group -> group.allReduce(zeros(group), ReduceOp.SUM));
        assertThat(ends(calls)).containsOnlyNulls();
        return plain;
    }

    private Tensor zeros(ProcessGroup group) {
        return kept(group.allocate(GPU, DType.FLOAT32, COUNT));
    }

    private void closeTensors() {
        made.forEach(Tensor::close);
        made.clear();
    }

    /** ProcessGroup.abort: "pending and later calls fail with GroupClosedException" on all ranks. Some failed with NCCL's error of a lost peer. */
    @Test
    void abort_endsCallsThatAreOnTheDevice_byItsReason() {
        for (int round = 0; round < ROUNDS; round++) {
            try (NcclWorlds.Ranks world = world(3)) {
                List<ProcessGroup> groups = groupsOfAll(world.groups());
                List<CompletableFuture<Work>> pending = callsOnThePausedDevice(groups);
                groups.get(1).abort("enough");
                List<Throwable> ends = ends(pending);
                CudaDouble.JVM.hold(0, false);
                closeTensors();
                assertThat(ends).hasOnlyElementsOfType(GroupClosedException.class);
            }
        }
    }

    /** ProcessGroup, Errors: "When one rank fails a call, every rank whose call is unfinished fails with the same cause". The others heard that NCCL had failed. */
    @Test
    void close_endsTheOthersCallsThatAreOnTheDevice_byTheLossOfThatRank() {
        try (NcclWorlds.Ranks world = world(3)) {
            List<ProcessGroup> groups = groupsOfAll(world.groups());
            List<CompletableFuture<Work>> pending = callsOnThePausedDevice(groups);
            groups.get(1).close();
            List<Throwable> ends = ends(pending);
            CudaDouble.JVM.hold(0, false);
            closeTensors();
            assertThat(ends.get(1)).isInstanceOf(GroupClosedException.class);
            assertThat(List.of(ends.get(0), ends.get(2))).hasOnlyElementsOfType(PeerLostException.class);
        }
    }

    /** ProcessGroup.ended: "It completes after this rank has closed the group". In some rounds it failed with what NCCL told another rank of that close. */
    @Test
    void ended_ofTheRankThatCloses_completes() {
        for (int round = 0; round < RARE_ROUNDS; round++) {
            try (NcclWorlds.Ranks world = world(3)) {
                List<ProcessGroup> groups = groupsOfAll(world.groups());
                callsOnThePausedDevice(groups);
                CompletableFuture<Void> ended = groups.get(1).ended().toFuture();
                groups.get(1).close();
                Throwable end = end(ended);
                CudaDouble.JVM.hold(0, false);
                closeTensors();
                assertThat(end).isNull();
            }
        }
    }

    /**
     * ProcessGroup.ended: "A member that leaves in good order is no end: calls that do not need it go on, but for those of an engine that needs one order,
     * whose calls in the group end." Where one of them was on the device, the group ended for the others, too, with all of links' calls.
     */
    @Test
    void memberThatClosesWhileACallIsOnTheDevice_isNoEndOfTheGroup() {
        for (int round = 0; round < ROUNDS; round++) {
            try (NcclWorlds.Ranks world = world(3)) {
                List<ProcessGroup> groups = groupsOfAll(world.groups());
                List<CompletableFuture<Work>> pending = callsOnThePausedDevice(groups);
                List<CompletableFuture<Void>> ended = begun(List.of(groups.get(0), groups.get(2)), ProcessGroup::ended);
                groups.get(1).close();
                ends(pending);
                CudaDouble.JVM.hold(0, false);
                // A round trip of the world's group, in which what ends the other group comes to all.
                succeed(world.groups(), ProcessGroup::barrier);
                Tensor received = Tensor.of(new int[1]);
                CompletableFuture<Work> send =
                        groups.get(0).send(Tensor.of(new int[] {7}), 2, 0).toFuture();
                CompletableFuture<Work> receive =
                        groups.get(2).receive(received, 0, 0).toFuture();
                List<Throwable> ends = ends(List.of(send, receive));
                closeTensors();
                assertThat(ends).containsOnlyNulls();
                assertThat(ended).noneMatch(CompletableFuture::isDone);
            }
        }
    }

    /** ProcessGroup.enqueued: "What is made of several calls, such as objects, streams and groups, completes as on any other view." */
    @Test
    void bucketsOfAnEnqueuedView_completeAsOnAnyOther() {
        try (NcclWorlds.Ranks world = world(2)) {
            List<Tensor> gradients =
                    world.groups().stream().map(group -> ones(group, 3)).toList();
            List<Throwable> ends = ends(begun(
                    world.groups(),
                    group -> Flux.just(new Gradient("w", gradients.get(group.rank())))
                            .transform(GradientBuckets.sum(group.enqueued()))
                            .then()));
            closeTensors();
            assertThat(ends).containsOnlyNulls();
        }
    }

    /** CompositeCall: "The view that the body is given has this view's deadline, algorithm and priority", and no more: it is none of enqueued calls. */
    @Test
    void compositeOfAnEnqueuedView_hasCallsOfTheHostsTensors() {
        try (NcclWorlds.Ranks world = world(2)) {
            assertThat(ends(begun(
                            world.groups(),
                            group -> group.enqueued()
                                    .composite("sum")
                                    .mono(inside -> inside.allReduce(Tensor.of(new float[] {1}), ReduceOp.SUM)))))
                    .containsOnlyNulls();
        }
    }

    /** ProcessGroup.enqueued: UnsupportedCollectiveException is "for calls of tensors whose engine has no such queue"; a barrier has no tensors. */
    @Test
    void barrierOfAnEnqueuedView_ends() {
        try (NcclWorlds.Ranks world = world(2)) {
            assertThat(ends(begun(world.groups(), group -> group.enqueued().barrier())))
                    .containsOnlyNulls();
        }
    }

    /** The error names links as the engine of a device's tensor, and a remedy that fails, too; without enqueued() it says that NCCL has no BAND. */
    @Test
    void reductionThatNcclLacks_isNamedByAnEnqueuedView() {
        try (NcclWorlds.Ranks world = world(2)) {
            List<Throwable> ends = ends(begun(
                    world.groups(),
                    group -> group.enqueued().allReduce(kept(group.allocate(GPU, DType.INT32, 3)), ReduceOp.BAND)));
            closeTensors();
            assertThat(ends)
                    .allSatisfy(end -> assertThat(end)
                            .isInstanceOf(UnsupportedCollectiveException.class)
                            .hasMessageContaining("NCCL has no BAND")
                            .hasMessageNotContaining("engine=links"));
        }
    }

    /** Tensor.toFloatArray throws an IllegalStateException for three reasons, none of them the end of a group; links' tensors are read after it. */
    @Test
    void tensorThatOutlivesItsWorld_isRead() {
        Tensor tensor;
        try (NcclWorlds.Ranks world = new NcclWorlds.Ranks(world(1).world(), List.of())) {
            tensor = ones(world.groups().getFirst(), 2);
        }
        try {
            assertThatCode(() -> assertThat(tensor.toFloatArray()).containsExactly(1, 1))
                    .doesNotThrowAnyException();
        } finally {
            closeTensors();
        }
    }

    /**
     * ProcessGroup.enqueued: "What is enqueued later on the same tensors by way of this library waits for it on the device". Begun without a wait, both went
     * into one group of NCCL's, which does them at the same time.
     */
    @Test
    void callsBehindCallsThatAreBegun_waitForThem() {
        for (int round = 0; round < ROUNDS; round++) {
            try (NcclWorlds.Ranks world = world(3)) {
                List<Tensor> tensors =
                        world.groups().stream().map(group -> ones(group, COUNT)).toList();
                CudaDouble.JVM.hold(0, true);
                List<CompletableFuture<Work>> calls = new ArrayList<>();
                for (int i = 0; i < ROUNDS; i++) {
                    calls.addAll(begun(
                            world.groups(),
                            group -> group.enqueued().allReduce(tensors.get(group.rank()), ReduceOp.SUM)));
                }
                List<Throwable> ends = ends(calls);
                CudaDouble.JVM.hold(0, false);
                assertThat(ends).containsOnlyNulls();
                assertThat(tensors)
                        .allSatisfy(
                                tensor -> assertThat(tensor.toFloatArray()).containsOnly((float) Math.pow(3, ROUNDS)));
                closeTensors();
            }
        }
    }
}

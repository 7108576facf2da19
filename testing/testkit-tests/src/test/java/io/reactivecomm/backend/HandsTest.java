package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.device.Handle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/** Calls that end before their engine's library has let go of their tensors: those that failed, and those that were enqueued. */
class HandsTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Of a call that is not to end by itself. */
    private static final Duration SHORT = Duration.ofMillis(200);

    private final List<Tensor> endless = List.of(
            Tensor.allocate(DType.FLOAT32, StrictEngine.ENDLESS), Tensor.allocate(DType.FLOAT32, StrictEngine.ENDLESS));

    @AfterEach
    void letGo() {
        TenaciousEngine.letGo();
    }

    private static LocalWorld world(String backend) {
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return ReactiveComm.local(2, settings.withBackend(backend));
    }

    private static <T> List<Signal<T>> ends(LocalWorld world, Function<ProcessGroup, Mono<T>> call) {
        return Flux.fromIterable(world.groups())
                .flatMapSequential(group -> call.apply(group).materialize())
                .collectList()
                .block(LIMIT);
    }

    private Mono<Work> endless(ProcessGroup group) {
        return group.allReduce(endless.get(group.rank()), ReduceOp.SUM);
    }

    private static boolean isReleased(Tensor tensor) {
        return tensor.released().toFuture().isDone();
    }

    private void requireHeldUntilLetGo() {
        assertThat(endless).noneMatch(HandsTest::isReleased);
        TenaciousEngine.letGo();
        assertThat(endless).allMatch(HandsTest::isReleased);
    }

    /** A case with a deadline, which says whether that was long enough for the engine to begin the calls. */
    private interface DeadlineCase {

        boolean isBegunWithin(Duration deadline);
    }

    /** Runs a case with a short deadline, and with longer ones where the machine is slow. */
    private static void requireInTime(DeadlineCase each) {
        for (Duration deadline = SHORT; !each.isBegunWithin(deadline); deadline = deadline.multipliedBy(4)) {
            assertThat(deadline).as("time to begin a call").isLessThan(LIMIT);
        }
    }

    /** {@return whether the engine has begun the calls that have failed: else their tensors are released with them} */
    private boolean areBegun() {
        return endless.stream().noneMatch(HandsTest::isReleased);
    }

    @Test
    void callPastItsDeadline_ends_andItsTensorsAreReleasedLater() {
        requireInTime(deadline -> {
            try (LocalWorld world = world("tenacious")) {
                assertThat(ends(world, group -> endless(group.timeout(deadline))))
                        .allSatisfy(end -> assertThat(end.getThrowable()).isNotNull())
                        .anySatisfy(end -> assertThat(end.getThrowable()).isInstanceOf(CommTimeoutException.class));
                return areBegun();
            }
        });
        requireHeldUntilLetGo();
    }

    @Test
    void tensorsOfAFailedCall_areNotForOtherCalls_untilTheyAreReleased() {
        try (LocalWorld world = world("tenacious")) {
            List<ProcessGroup> apart = ends(world, group -> group.newGroup(0, 1)).stream()
                    .map(Signal::get)
                    .toList();
            assertThat(ends(world, group -> endless(apart.get(group.rank()).timeout(SHORT))))
                    .allSatisfy(end -> assertThat(end.getThrowable()).isNotNull());
            assertThat(ends(world, this::firstElement))
                    .allSatisfy(end -> assertThat(end.getThrowable())
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContaining("other=all-reduce")
                            .hasMessageContaining("released()"));
            TenaciousEngine.letGo();
            assertThat(ends(world, this::firstElement))
                    .allSatisfy(end -> assertThat(end.getThrowable()).isNull());
        }
    }

    /** On a thread of the engine, and behind the call's end. */
    @Test
    void subscriberOfALateRelease_thatDies_endsTheWorld() {
        try (LocalWorld world = world("tenacious")) {
            requireInTime(deadline -> {
                List<ProcessGroup> apart = ends(world, group -> group.newGroup(0, 1)).stream()
                        .map(Signal::get)
                        .toList();
                ends(world, group -> endless(apart.get(group.rank()).timeout(deadline)));
                return areBegun();
            });
            endless.get(1)
                    .released()
                    .doOnSuccess(ignored -> {
                        throw new OutOfMemoryError("as thrown by the machine");
                    })
                    .subscribe();
            TenaciousEngine.letGo();
            assertThatThrownBy(() -> world.groups().getFirst().ended().block(LIMIT))
                    .isInstanceOf(GroupClosedException.class)
                    .hasMessageContaining("fatal error on rank 1: java.lang.OutOfMemoryError");
        }
    }

    private Mono<Work> firstElement(ProcessGroup group) {
        return group.allReduce(endless.get(group.rank()).slice(0, 1), ReduceOp.SUM);
    }

    @Test
    void abortedCall_ends_andAClosedTensorIsFreedLater() {
        try (LocalWorld world = world("tenacious")) {
            ProcessGroup first = world.groups().getFirst();
            StrictEngine.ENDLESS_BEGUN
                    .asFlux()
                    .take(2)
                    .count()
                    .doOnNext(both -> first.abort("enough"))
                    .subscribe();
            assertThat(ends(world, this::endless))
                    .allSatisfy(end -> assertThat(end.getThrowable()).isInstanceOf(GroupClosedException.class));
            endless.forEach(Tensor::close);
            requireHeldUntilLetGo();
        }
    }

    @Test
    void closing_doesNotWaitForHands() {
        LocalWorld world = world("tenacious");
        CompletableFuture<Integer> begun =
                StrictEngine.ENDLESS_BEGUN.asFlux().next().toFuture();
        List<CompletableFuture<Work>> calls =
                world.groups().stream().map(group -> endless(group).toFuture()).toList();
        Mono.fromFuture(begun).block(LIMIT);
        world.close();
        assertThat(calls).allSatisfy(call -> assertThatThrownBy(call::join).isInstanceOf(CompletionException.class));
        assertThat(endless).anyMatch(tensor -> !isReleased(tensor));
        TenaciousEngine.letGo();
        assertThat(endless).allMatch(HandsTest::isReleased);
    }

    @Test
    void composite_endsBeforeItsTensorsAreReleased() {
        requireInTime(deadline -> {
            try (LocalWorld world = world("tenacious")) {
                assertThat(ends(
                                world,
                                group -> group.composite("whole")
                                        .borrowing(List.of(endless.get(group.rank())))
                                        .mono(inside -> endless(inside.timeout(deadline)))))
                        .allSatisfy(end -> assertThat(end.getThrowable()).isNotNull());
                return areBegun();
            }
        });
        requireHeldUntilLetGo();
    }

    @Test
    void enqueuedCall_endsAtOnce_andItsHandleWithTheResult() {
        List<Tensor> tensors = List.of(Tensor.of(new float[] {1}), Tensor.of(new float[] {2}));
        try (LocalWorld world = world("tenacious")) {
            List<Signal<Work>> ends =
                    ends(world, group -> group.enqueued().allReduce(tensors.get(group.rank()), ReduceOp.SUM));
            assertThat(ends).allSatisfy(end -> {
                Work work = end.get();
                assertThat(work.algorithm()).isEqualTo("queued");
                assertThat(work.handle()).isNotSameAs(Handle.DONE);
                work.handle().completed().block(LIMIT);
            });
            assertThat(tensors)
                    .allSatisfy(tensor -> assertThat(tensor.toFloatArray()).containsExactly(3));
            tensors.forEach(tensor -> tensor.released().block(LIMIT));
        }
    }

    @Test
    void enqueuedCall_borrowsItsTensors_untilItsHandleEnds() {
        try (LocalWorld world = world("tenacious")) {
            List<Signal<Work>> ends = ends(world, group -> endless(group.enqueued()));
            assertThat(ends).allSatisfy(end -> assertThat(end.getThrowable()).isNull());
            assertThat(endless).noneMatch(HandsTest::isReleased);
            world.groups().getLast().abort("enough");
            assertThat(ends)
                    .allSatisfy(end -> assertThatThrownBy(
                                    () -> end.get().handle().completed().block(LIMIT))
                            .isInstanceOf(GroupClosedException.class)
                            .hasMessageContaining("enough"));
            requireHeldUntilLetGo();
        }
    }

    @Test
    void enqueuedCall_failsAtItsDeadline_byItsHandle() {
        requireInTime(deadline -> {
            try (LocalWorld world = world("tenacious")) {
                List<Signal<Work>> ends =
                        ends(world, group -> endless(group.timeout(deadline).enqueued()));
                if (ends.stream().anyMatch(Signal::isOnError)) {
                    return false;
                }
                List<Signal<Void>> results = Flux.fromIterable(ends)
                        .flatMap(end -> end.get().handle().completed().materialize())
                        .collectList()
                        .block(LIMIT);
                assertThat(results)
                        .allSatisfy(end -> assertThat(end.getThrowable()).isInstanceOf(CommException.class))
                        .anySatisfy(end -> assertThat(end.getThrowable()).isInstanceOf(CommTimeoutException.class));
                return true;
            }
        });
        requireHeldUntilLetGo();
    }

    @ParameterizedTest
    @ValueSource(strings = {"links", "strict", "mirror"})
    void engineWithoutQueue_refusesTheView_onAllRanks(String backend) {
        try (LocalWorld world = world(backend)) {
            assertThat(ends(world, group -> group.enqueued().allReduce(Tensor.of(new float[] {1}), ReduceOp.SUM)))
                    .allSatisfy(end -> assertThat(end.getThrowable())
                            .isInstanceOf(UnsupportedCollectiveException.class)
                            .hasMessageContaining("engine=" + backend));
            assertThat(ends(world, group -> group.enqueued().send(Tensor.of(new float[] {1}), 1 - group.rank(), 0)))
                    .allSatisfy(
                            end -> assertThat(end.getThrowable()).isInstanceOf(UnsupportedCollectiveException.class));
        }
    }

    @Test
    void objectsAndGroups_completeOnTheView() {
        try (LocalWorld world = world("tenacious")) {
            assertThat(ends(world, group -> group.enqueued().allGatherObject(group.rank(), Integer.class)))
                    .allSatisfy(end -> assertThat(end.get()).containsExactly(0, 1));
            assertThat(ends(world, group -> group.enqueued().newGroup(0, 1).map(ProcessGroup::size)))
                    .allSatisfy(end -> assertThat(end.get()).isEqualTo(2));
        }
    }

    @Test
    void closedTensor_isRefused_andNothingStaysBorrowed() {
        Tensor closed = Tensor.of(new float[] {1});
        closed.close();
        try (LocalWorld world = world("tenacious")) {
            Tensor sound = Tensor.of(new float[] {1});
            assertThat(ends(world, group -> group.allReduce(group.rank() == 0 ? closed : sound, ReduceOp.SUM)))
                    .allSatisfy(end -> assertThat(end.getThrowable()).isInstanceOf(InvalidCallException.class));
            assertThat(isReleased(sound)).isTrue();
        }
    }
}

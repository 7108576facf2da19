package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.device.Handle;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.collective.CollectiveCase.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/**
 * The contract of calls that complete when they are enqueued: their handle has the result or the error, and until its end the tensors are borrowed. Whoever
 * extends it can hold its devices up.
 */
public abstract class EnqueuedContract extends WorldContract {

    private static final int SIZE = 3;
    private static final Duration SHORT = Duration.ofMillis(200);

    /** A time in which devices do nothing of what is enqueued. */
    public interface Pause extends AutoCloseable {

        /** Lets them go on. */
        @Override
        void close();
    }

    /** {@return such a time, which has begun} */
    protected abstract Pause pause();

    private static CaseRun sum(GuardedMemory memory, int salt) {
        return new CaseRun(
                new CollectiveCase(Kind.ALL_REDUCE, DType.FLOAT32, ReduceOp.SUM, 1000, 0, true),
                SIZE,
                3 * salt,
                memory);
    }

    /** {@return the handles of calls that all ranks have made and that have been enqueued, whatever the devices do} */
    private static List<Handle> enqueued(List<ProcessGroup> groups, CaseRun run) {
        return all(groups, group -> run.assemble(group.enqueued())).stream()
                .map(Work::handle)
                .toList();
    }

    private static List<Signal<Void>> ends(List<Handle> handles) {
        List<Mono<Signal<Void>>> all =
                handles.stream().map(handle -> handle.completed().materialize()).toList();
        return Objects.requireNonNull(
                Flux.mergeSequential(all, all.size(), 1).collectList().block(LIMIT));
    }

    private static void requirePending(List<Handle> handles) {
        assertThat(handles)
                .as("what a device that does nothing has completed")
                .noneMatch(handle -> handle.completed().toFuture().isDone());
    }

    @Tag("smoke")
    @Test
    void call_endsAtOnce_andItsHandleWithTheResult_untilWhichTensorsAreBorrowed() {
        List<ProcessGroup> groups = world(SIZE);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            CaseRun run = sum(memory, 1);
            List<Handle> handles;
            CompletableFuture<@Nullable Void> released;
            try (Pause pause = pause()) {
                handles = enqueued(groups, run);
                released = memory.released().toFuture();
                requirePending(handles);
                assertThat(released).isNotDone();
            }
            assertThat(ends(handles))
                    .allSatisfy(end -> assertThat(end.isOnComplete()).isTrue());
            memory.awaitRelease();
            run.verify();
        }
    }

    @Test
    void calls_behindOneAnotherOnTheSameTensors_haveTheirResultsInOrder() {
        List<ProcessGroup> groups = world(SIZE);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<Tensor> tensors = groups.stream()
                    .map(group -> memory.input(DType.INT64, 5, 0, group.rank()))
                    .toList();
            List<Handle> last;
            try (Pause pause = pause()) {
                all(groups, group -> group.enqueued().broadcast(tensors.get(group.rank()), 1));
                last =
                        all(groups, group -> group.enqueued().allReduce(tensors.get(group.rank()), ReduceOp.MAX))
                                .stream()
                                .map(Work::handle)
                                .toList();
                requirePending(last);
            }
            assertThat(ends(last))
                    .allSatisfy(end -> assertThat(end.isOnComplete()).isTrue());
            // The greatest of equal values.
            for (Tensor tensor : tensors) {
                assertThat(Inputs.mismatch(home().read(tensor), DType.INT64, 0, 1))
                        .isEqualTo(-1);
            }
        }
    }

    /** {@return the ends of the handles of a call that devices are not at yet when something stops it} */
    private List<Signal<Void>> endsOfStopped(List<ProcessGroup> groups, Consumer<List<Handle>> stop) {
        try (GuardedMemory memory = new GuardedMemory(home())) {
            // Its tensors are filled by the device.
            CaseRun run = sum(memory, 1);
            try (Pause pause = pause()) {
                List<Handle> handles = enqueued(groups, run);
                stop.accept(handles);
                return ends(handles);
            }
        }
    }

    /** {@return the ends of the handles of a call that has that long; null if it was too short for all ranks to enqueue the call} */
    private @Nullable List<Signal<Void>> endsPast(Duration deadline) {
        List<ProcessGroup> groups =
                world(SIZE).stream().map(group -> group.timeout(deadline)).toList();
        try (GuardedMemory memory = new GuardedMemory(home())) {
            CaseRun run = sum(memory, 1);
            try (Pause pause = pause()) {
                List<Outcome> outcomes = outcomes(groups, group -> run.assemble(group.enqueued()));
                boolean areEnqueued = outcomes.stream().allMatch(Outcome.Success.class::isInstance);
                return areEnqueued
                        ? ends(outcomes.stream()
                                .map(each -> each.work().handle())
                                .toList())
                        : null;
            }
        }
    }

    @Test
    void deadline_failsTheHandles() {
        List<Signal<Void>> ends = null;
        for (Duration deadline = SHORT; ends == null; deadline = deadline.multipliedBy(4)) {
            assertThat(deadline).as("time to enqueue a call").isLessThan(LIMIT);
            ends = endsPast(deadline);
        }
        assertThat(ends)
                .allSatisfy(end -> assertThat(end.getThrowable()).isInstanceOf(CommException.class))
                .anySatisfy(end -> assertThat(end.getThrowable()).isInstanceOf(CommTimeoutException.class));
    }

    @Test
    void abort_failsTheHandles_withItsReason() {
        List<ProcessGroup> groups = world(SIZE);
        List<Signal<Void>> ends = endsOfStopped(groups, handles -> {
            requirePending(handles);
            groups.getLast().abort("the loss is not a number");
        });
        assertThat(ends)
                .allSatisfy(end -> assertThat(end.getThrowable())
                        .isInstanceOf(GroupClosedException.class)
                        .hasMessageContaining("the loss is not a number"));
    }

    @Test
    void close_failsTheHandlesOfThatRank_andOfThoseThatNeedIt() {
        List<ProcessGroup> groups = world(SIZE);
        List<Signal<Void>> ends = endsOfStopped(groups, handles -> {
            requirePending(handles);
            groups.get(1).close();
        });
        assertThat(ends.get(1).getThrowable()).isInstanceOf(GroupClosedException.class);
        assertThat(ends).allSatisfy(end -> assertThat(end.getThrowable()).isInstanceOf(CommException.class));
    }

    @Tag("smoke")
    @Test
    void rankThatDies_failsTheHandlesOfAll() {
        List<ProcessGroup> groups = world(SIZE);
        List<Signal<Void>> ends = endsOfStopped(groups, handles -> {
            requirePending(handles);
            groups.forEach(group -> group.named("last").barrier().subscribe(work -> die(group), error -> {}));
        });
        assertThat(ends).allSatisfy(end -> assertThat(end.getThrowable()).isInstanceOf(CommException.class));
    }

    private static void die(ProcessGroup group) {
        if (group.rank() == 1) {
            throw new OutOfMemoryError("planted");
        }
    }

    @Test
    void closeOfTheWholeWorld_failsTheHandles_andDoesNotWaitForThem() {
        List<ProcessGroup> groups = world(SIZE);
        assertThat(endsOfStopped(groups, handles -> groups.forEach(ProcessGroup::close)))
                .allSatisfy(end -> assertThat(end.getThrowable()).isInstanceOf(CommException.class));
    }

    @Test
    void failedHandle_ofOneCall_saysNothingOfAnothers() {
        List<ProcessGroup> groups = world(SIZE);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            CaseRun done = sum(memory, 1);
            CaseRun stopped = sum(memory, 2);
            List<Handle> first = enqueued(groups, done);
            assertThat(ends(first))
                    .allSatisfy(end -> assertThat(end.isOnComplete()).isTrue());
            List<Handle> second;
            try (Pause pause = pause()) {
                second = enqueued(groups, stopped);
                groups.getFirst().abort("enough");
                ends(second);
            }
            done.verify();
            assertThat(ends(first))
                    .allSatisfy(end -> assertThat(end.isOnComplete()).isTrue());
            assertThat(ends(second))
                    .as("also once the devices go on")
                    .allSatisfy(end -> assertThat(end.getThrowable()).isNotNull());
            assertThatThrownBy(
                            () -> stopped.assemble(groups.getFirst().enqueued()).block(LIMIT))
                    .isInstanceOf(GroupClosedException.class);
        }
    }
}

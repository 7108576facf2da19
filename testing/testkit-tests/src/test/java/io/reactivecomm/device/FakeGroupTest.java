package io.reactivecomm.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.LeakCheck;
import io.reactivecomm.testkit.device.FakeMemory;
import io.reactivecomm.testkit.device.FakeProvider;
import io.reactivecomm.testkit.device.FakeThread;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A group whose ranks have devices: their memory, and calls that are enqueued there. */
class FakeGroupTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Device DEVICE = FakeMemory.device(0);

    private LocalWorld world;
    private LeakCheck leaks;

    @BeforeEach
    void begin() {
        leaks = LeakCheck.begin();
        world = FakeWorlds.world(2);
    }

    @AfterEach
    void nothingIsLeft() {
        world.close();
        assertThat(FakeProvider.open()).as("worlds that an engine has not left").isEmpty();
        leaks.end(0);
    }

    private ProcessGroup group(int rank) {
        return world.groups().get(rank);
    }

    @Test
    void packAllReduceAndUnpack_areEnqueuedOneAfterTheOther_andTheHostWaitsOnce() {
        List<Tensor> given = Stream.of(1, 10)
                .map(each -> Tensor.of(new float[] {each, 2 * each, 3 * each}))
                .toList();
        List<Tensor> packed = Stream.of(0, 1)
                .map(rank -> group(rank).allocate(FakeMemory.device(rank), DType.FLOAT32, 3))
                .toList();
        List<Tensor> results =
                Stream.of(0, 1).map(rank -> Tensor.allocate(DType.FLOAT16, 3)).toList();
        List<CompletableFuture<Work>> calls;
        List<Handle> unpacked;
        try (FakeThread.Pause pause = FakeThread.pause()) {
            for (int rank = 0; rank < 2; rank++) {
                group(rank).move(List.of(Move.scaled(given.get(rank), packed.get(rank), 0.5)));
            }
            calls = Stream.of(0, 1)
                    .map(rank -> group(rank)
                            .enqueued()
                            .allReduce(packed.get(rank), ReduceOp.SUM)
                            .toFuture())
                    .toList();
            calls.forEach(each ->
                    assertThat(Mono.fromFuture(each).block(LIMIT).backend()).isEqualTo("fake"));
            assertThat(calls)
                    .noneMatch(
                            each -> each.join().handle().completed().toFuture().isDone());
            unpacked = Stream.of(0, 1)
                    .map(rank -> group(rank).move(List.of(Move.scaled(packed.get(rank), results.get(rank), 2))))
                    .toList();
        }
        unpacked.forEach(each -> each.completed().block(LIMIT));
        results.forEach(each -> assertThat(each.toFloatArray()).containsExactly(11, 22, 33));
        calls.forEach(each -> each.join().handle().completed().block(LIMIT));
        Stream.of(given, packed, results).forEach(all -> all.forEach(Tensor::close));
    }

    @Test
    void whatReadsATensor_whoseEnqueuedCallFails_failsWithIt_andWhatIsWrittenAnewIsRight() {
        List<Tensor> values = Stream.of(0, 1)
                .map(rank -> group(rank).allocate(FakeMemory.device(rank), DType.FLOAT32, 3))
                .toList();
        Tensor result = Tensor.allocate(DType.FLOAT32, 3);
        Tensor other = group(0).allocate(DEVICE, DType.FLOAT32, 3);
        Handle unpacked;
        Handle behind;
        try (FakeThread.Pause pause = FakeThread.pause()) {
            List<CompletableFuture<Work>> calls = Stream.of(0, 1)
                    .map(rank -> group(rank)
                            .enqueued()
                            .allReduce(values.get(rank), ReduceOp.SUM)
                            .toFuture())
                    .toList();
            calls.forEach(each -> Mono.fromFuture(each).block(LIMIT));
            unpacked = group(0).move(List.of(Move.copy(values.getFirst(), other)));
            behind = group(0).move(List.of(Move.copy(other, result)));
            group(0).abort("planted");
            assertThatThrownBy(
                            () -> calls.getFirst().join().handle().completed().block(LIMIT))
                    .isInstanceOf(CommException.class);
        }
        for (Handle each : List.of(unpacked, behind)) {
            assertThatThrownBy(() -> each.completed().block(LIMIT))
                    .isInstanceOf(CommException.class)
                    .hasMessageContaining("planted");
        }
        assertThatThrownBy(values.getFirst()::toFloatArray)
                .isInstanceOf(CommException.class)
                .hasMessageContaining("planted");
        assertThatThrownBy(() -> group(0).move(List.of(Move.copy(values.getFirst(), result)))
                        .completed()
                        .block(LIMIT))
                .hasMessageContaining("planted");
        try (Tensor anew = Tensor.of(new float[] {1, 2, 3})) {
            group(0).move(List.of(Move.copy(anew, values.getFirst())))
                    .completed()
                    .block(LIMIT);
        }
        assertThat(values.getFirst().slice(1, 2).toFloatArray()).containsExactly(2, 3);
        values.forEach(Tensor::close);
        Stream.of(result, other).forEach(Tensor::close);
    }

    @Test
    void allocate_onTheHost_isAsWithoutADevice() {
        try (Tensor tensor = group(0).allocate(Device.CPU, DType.INT32, 2, 3)) {
            assertThat(tensor.device()).isEqualTo(Device.CPU);
            assertThat(tensor.toIntArray()).containsOnly(0).hasSize(6);
        }
    }

    @Test
    void allocate_onADevice_isZeroed() {
        try (Tensor tensor = group(1).allocate(DEVICE, DType.INT32, 2, 3)) {
            assertThat(tensor.device()).isEqualTo(DEVICE);
            assertThat(tensor.toIntArray()).containsOnly(0).hasSize(6);
        }
    }

    @Test
    void allocate_whereNoEngineHasTheMemory_isATypedError() {
        assertThatThrownBy(() -> group(0).allocate(new Device("cuda", 0), DType.INT32, 1))
                .isInstanceOf(UnsupportedCollectiveException.class)
                .hasMessageContaining("device=cuda");
        try (LocalWorld plain = ReactiveComm.local(1)) {
            assertThatThrownBy(() -> plain.groups().getFirst().allocate(DEVICE, DType.INT32, 1))
                    .isInstanceOf(UnsupportedCollectiveException.class)
                    .hasMessageContaining("device=fake");
        }
        assertThatThrownBy(() -> group(0).allocate(FakeMemory.device(77), DType.INT32, 1))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("fake:77");
    }

    @Test
    void move_withinTheHost_isDoneAtOnce() {
        try (Tensor from = Tensor.of(new float[] {1, 2});
                Tensor to = Tensor.allocate(DType.FLOAT64, 2)) {
            assertThat(group(0).move(List.of(Move.scaled(from, to, 4)))).isSameAs(Handle.DONE);
            assertThat(to.toDoubleArray()).containsExactly(4, 8);
            assertThat(group(0).move(List.of())).isSameAs(Handle.DONE);
        }
    }

    @Test
    void list_forHostAndDevice_isDoneByBoth() {
        try (Tensor from = Tensor.of(new float[] {1, 2});
                Tensor here = Tensor.allocate(DType.FLOAT32, 2);
                Tensor there = group(0).allocate(DEVICE, DType.FLOAT32, 2)) {
            Handle handle = group(0).move(List.of(Move.copy(from, here), Move.copy(from, there)));
            assertThat(here.toFloatArray()).containsExactly(1, 2);
            handle.completed().block(LIMIT);
            assertThat(there.toFloatArray()).containsExactly(1, 2);
        }
    }

    @Test
    void tensors_areBorrowedUntilTheirMoveHasEnded() {
        Tensor from = Tensor.of(new float[] {1, 2});
        Tensor there = group(0).allocate(DEVICE, DType.FLOAT32, 2);
        CompletableFuture<Void> released;
        try (FakeThread.Pause pause = FakeThread.pause()) {
            group(0).move(List.of(Move.copy(from, there)));
            released = Mono.when(from.released(), there.released()).toFuture();
            from.close();
            there.close();
            assertThat(released).isNotDone();
        }
        Mono.fromFuture(released).block(LIMIT);
    }

    @Test
    void move_ofAClosedTensor_isRefused_andTheOthersAreGivenBack() {
        try (Tensor from = Tensor.of(new float[] {1, 2});
                Tensor there = group(0).allocate(DEVICE, DType.FLOAT32, 2)) {
            there.close();
            assertThatThrownBy(() -> group(0).move(List.of(Move.copy(from, there))))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("FLOAT32[2] on fake:0");
            assertThat(from.released().toFuture()).isDone();
        }
    }

    @Test
    void move_ofAClosedTensorOfTheHost_isRefused_andNothingIsMoved() {
        try (Tensor from = Tensor.of(new float[] {1, 2});
                Tensor closed = Tensor.allocate(DType.FLOAT32, 2);
                Tensor there = group(0).allocate(DEVICE, DType.FLOAT32, 2)) {
            closed.close();
            for (List<Move> moves : List.of(
                    List.of(Move.copy(from, closed)),
                    List.of(Move.copy(closed, from)),
                    List.of(Move.zeros(closed)),
                    List.of(Move.copy(from, there), Move.copy(from, closed)))) {
                assertThatThrownBy(() -> group(0).move(moves))
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("FLOAT32[2]")
                        .hasMessageContaining("closed");
            }
            assertThat(there.toFloatArray()).containsExactly(0, 0);
            assertThat(from.released().toFuture()).isDone();
        }
    }

    @Test
    void listOfMoves_thatLacksSomething_saysWhat() {
        assertThatThrownBy(() -> group(0).move(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("no list of moves");
        assertThatThrownBy(() -> group(0).move(Collections.singletonList(null)))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("place=0, moves=1");
        assertThatThrownBy(() -> group(0).allocate((Device) null, DType.INT8, 1))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("Device.CPU");
        assertThatThrownBy(() -> Tensor.onDevice(null, DEVICE, 64, () -> {}, DType.INT8, 1))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("device=fake:0");
    }

    @Test
    void shape_thatIsTooLarge_orNegative_isATypedError() {
        assertThatThrownBy(() -> group(0).allocate(DEVICE, DType.INT64, 1L << 31, 1L << 31))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("too large: type=INT64");
        assertThatThrownBy(() -> group(0).allocate(DEVICE, DType.INT64, 2, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("shape=[2, -1]");
    }

    @Test
    void move_betweenDevicesOfTwoKinds_isRefused() {
        try (Tensor there = group(0).allocate(DEVICE, DType.FLOAT32, 2);
                Tensor other =
                        Tensor.onDevice(FakeMemory.JVM, new Device("other", 0), 64, () -> {}, DType.FLOAT32, 2)) {
            assertThatThrownBy(() -> group(0).move(List.of(Move.copy(there, other))))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("other:0")
                    .hasMessageContaining("by way of");
        }
    }

    @Test
    void callOnATensor_whoseMoveFails_failsWithIt_andSoDoesWhatReadsAnEnqueuedOnesResult() {
        for (boolean isEnqueued : List.of(false, true)) {
            List<Tensor> values = Stream.of(0, 1)
                    .map(rank -> group(rank).allocate(FakeMemory.device(rank), DType.FLOAT32, 2))
                    .toList();
            List<CompletableFuture<Work>> calls;
            Arena arena = Arena.ofShared();
            try (FakeThread.Pause pause = FakeThread.pause()) {
                group(0).move(List.of(
                        Move.copy(Tensor.wrap(arena.allocate(8, 8), DType.FLOAT32, 2), values.getFirst())));
                arena.close();
                calls = Stream.of(0, 1)
                        .map(rank -> view(rank, isEnqueued)
                                .allReduce(values.get(rank), ReduceOp.SUM)
                                .toFuture())
                        .toList();
            }
            if (isEnqueued) {
                calls.forEach(each -> Mono.fromFuture(each).block(LIMIT));
            } else {
                assertThatThrownBy(() -> Mono.fromFuture(calls.getFirst()).block(LIMIT))
                        .isInstanceOf(CommException.class)
                        .hasMessageContaining("was not written");
            }
            assertThatThrownBy(values.getFirst()::toFloatArray)
                    .isInstanceOf(CommException.class)
                    .hasMessageContaining("was not done: device=fake");
            values.forEach(Tensor::close);
        }
    }

    private ProcessGroup view(int rank, boolean isEnqueued) {
        return isEnqueued ? group(rank).enqueued() : group(rank);
    }

    @Test
    void move_thatTheDeviceFails_failsItsHandle() {
        Arena arena = Arena.ofShared();
        try (Tensor there = group(0).allocate(DEVICE, DType.FLOAT32, 2);
                Tensor here = Tensor.wrap(arena.allocate(8, 8), DType.FLOAT32, 2)) {
            Handle handle;
            try (FakeThread.Pause pause = FakeThread.pause()) {
                handle = group(0).move(List.of(Move.copy(there, here)));
                arena.close();
            }
            assertThatThrownBy(() -> handle.completed().block(LIMIT))
                    .isInstanceOf(CommException.class)
                    .hasMessageContaining("what was enqueued on a device was not done: device=fake");
            assertThat(there.released().toFuture()).isDone();
        }
    }
}

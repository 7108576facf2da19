package io.reactivecomm.nccl.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** The end of what is enqueued, well or not. */
class CudaCompletionTest extends CudaCase {

    private static final int OUT_OF_MEMORY = 2;
    private static final int ILLEGAL_ADDRESS = 700;

    private final int[] wordAttributes = {92, 122};

    @AfterEach
    void mend() {
        words(true);
        cuda.breakDevice(1, 0);
    }

    /** What has been asked of a device's thread of moves is enqueued. */
    private static void settled(CudaDevice device) {
        device.copies().call(() -> 0);
    }

    private void words(boolean areThere) {
        for (int attribute : wordAttributes) {
            cuda.attribute(attribute, areThere ? 1 : 0);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void manyHandles_completeInOrder_byWordsAndByEvents(boolean byWords) {
        words(byWords);
        long words = cuda.calls("cuStreamWriteValue32");
        CudaMemory other = another("other");
        Tensor tensor = kept(other.allocate(gpu(0), DType.INT32, 64));
        List<Integer> ends = Collections.synchronizedList(new ArrayList<>());
        List<Mono<Void>> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int place = i;
            Handle handle = other.move(List.of(Move.zeros(tensor)));
            CompletableFuture<Void> ended =
                    handle.completed().doOnSuccess(ignored -> ends.add(place)).toFuture();
            all.add(Mono.fromFuture(ended));
        }
        Mono.when(all).block(LIMIT);
        assertThat(ends).isSorted().hasSize(200);
        assertThat(cuda.calls("cuStreamWriteValue32") > words).isEqualTo(byWords);
    }

    @Test
    void handle_ofWhatTheDeviceHasNotDone_isPending_andReleasedBeforeItCompletes() {
        Tensor tensor = zeroed(gpu(0), DType.INT32, 64);
        cuda.hold(0, true);
        Handle handle = memory.move(List.of(Move.zeros(tensor)));
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        handle.released().subscribe(ignored -> {}, error -> {}, () -> heard.add("released"));
        CompletableFuture<Void> completed = handle.completed()
                .doOnSuccess(ignored -> heard.add("completed"))
                .toFuture();
        assertThat(completed).isNotDone();
        cuda.hold(0, false);
        Mono.fromFuture(completed).block(LIMIT);
        assertThat(heard).containsExactly("released", "completed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"cuMemcpyHtoDAsync", "cuMemHostAlloc", "cuEventCreate", "cuStreamWriteValue32", "cuEventRecord"})
    void functionThatFails_failsItsMoveByName_andTheNextOneGoes(String function) {
        Tensor tensor = zeroed(gpu(0), DType.INT32, 64);
        Tensor given = filled(DType.INT32, 64);
        // What is made once is made by the first that asks for it.
        CudaMemory fresh = another("fresh");
        settled(fresh.device(0));
        cuda.fail(function, OUT_OF_MEMORY, 0, 1);
        Handle handle = fresh.move(List.of(Move.copy(given, tensor)));
        assertThatThrownBy(() -> handle.completed().block(LIMIT))
                .isInstanceOf(CudaException.class)
                .hasMessageContaining("function=" + function)
                .hasMessageContaining("CUDA_ERROR_OUT_OF_MEMORY (out of memory)")
                .hasMessageContaining("close tensors");
        handle.released().block(LIMIT);
        fresh.move(List.of(Move.copy(given, tensor))).completed().block(LIMIT);
        assertThat(tensor.toIntArray()).isEqualTo(given.toIntArray());
    }

    /** The device may be at the tensor until it has nothing left to do, though nobody can be told when it has come there. */
    @ParameterizedTest
    @ValueSource(strings = {"cuEventCreate", "cuEventRecord", "cuStreamWriteValue32"})
    void endThatCannotBeMarked_holdsTheTensor_untilTheDeviceIsDone(String function) {
        CudaMemory fresh = another("fresh");
        Tensor tensor = zeroed(gpu(0), DType.INT32, 64);
        settled(fresh.device(0));
        cuda.hold(0, true);
        cuda.fail(function, OUT_OF_MEMORY, 0, 1);
        Handle handle = fresh.move(List.of(Move.zeros(tensor)));
        CompletableFuture<Void> released = handle.released().toFuture();
        settled(fresh.device(0));
        assertThat(released).isNotDone();
        cuda.hold(0, false);
        Mono.fromFuture(released).block(LIMIT);
        assertThatThrownBy(() -> handle.completed().block(LIMIT))
                .isInstanceOf(CudaException.class)
                .hasMessageContaining("function=" + function);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cuDevicePrimaryCtxRetain",
                "cuCtxSetCurrent",
                "cuStreamCreate",
                "cuMemHostAlloc",
                "cuMemHostGetDevicePointer"
            })
    void deviceThatCannotBeOpened_isAnError_andLeavesNothing(String function) {
        cuda.fail(function, OUT_OF_MEMORY, 0, 1);
        assertThatThrownBy(() -> CudaMemory.open(1, "failing"))
                .isInstanceOf(CudaException.class)
                .hasMessageContaining(function);
        another("next").device(1);
    }

    /** Pieces that were on their way have ended when the move is released. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void pieceThatFails_failsTheWholeMove_onceTheOthersAreThrough(int way) {
        long count = 3L * BLOCK_BYTES / Float.BYTES;
        Tensor there = zeroed(gpu(0), DType.FLOAT32, count);
        Tensor other =
                way == 0 ? filled(DType.FLOAT32, count) : zeroed(way == 1 ? Device.CPU : gpu(1), DType.FLOAT64, count);
        String function = way == 0 ? "cuMemcpyHtoDAsync" : way == 1 ? "cuMemcpyDtoHAsync" : "cuMemcpyHtoDAsync";
        cuda.fail(function, 999, 2, 1);
        Handle handle = memory.move(List.of(way == 0 ? Move.copy(other, there) : Move.scaled(there, other, 2)));
        assertThatThrownBy(() -> handle.completed().block(LIMIT))
                .isInstanceOf(CudaException.class)
                .hasMessageContaining(function);
        handle.released().block(LIMIT);
        moved(Move.zeros(there));
    }

    @Test
    void pinnedMemoryThatIsShort_isMadeDoWith() {
        long count = 5L * BLOCK_BYTES;
        Tensor there = zeroed(gpu(0), DType.INT8, count);
        Tensor given = filled(DType.INT8, count);
        cuda.fail("cuMemHostAlloc", OUT_OF_MEMORY, 1, 100);
        moved(Move.copy(given, there));
        assertThat(bytes(there)).isEqualTo(bytes(given));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void stickyError_failsAllThatIsOnTheDevice_andWhatComesAfter(boolean byWords) {
        words(byWords);
        CudaMemory broken = another("broken");
        Tensor first = broken.allocate(gpu(1), DType.INT32, 64);
        Tensor second = broken.allocate(gpu(1), DType.INT32, 64);
        cuda.hold(1, true);
        List<Handle> handles =
                List.of(broken.move(List.of(Move.zeros(first))), broken.move(List.of(Move.copy(first, second))));
        settled(broken.device(1));
        cuda.breakDevice(1, ILLEGAL_ADDRESS);
        for (Handle handle : handles) {
            assertThatThrownBy(() -> handle.completed().block(LIMIT))
                    .isInstanceOf(CudaException.class)
                    .hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS");
            handle.released().block(LIMIT);
        }
        Handle later = broken.move(List.of(Move.zeros(second)));
        assertThatThrownBy(() -> later.completed().block(LIMIT))
                .isInstanceOfSatisfying(
                        CudaException.class, e -> assertThat(e.code()).isEqualTo(ILLEGAL_ADDRESS));
        later.released().block(LIMIT);
        assertThatThrownBy(() -> broken.allocate(gpu(1), DType.INT8, 1)).isInstanceOf(CudaException.class);
        // The rest of the case needs the device again, as a real one does not come back.
        cuda.breakDevice(1, 0);
        cuda.hold(1, false);
        first.close();
        second.close();
    }
}

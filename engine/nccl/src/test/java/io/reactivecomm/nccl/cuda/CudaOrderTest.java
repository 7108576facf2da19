package io.reactivecomm.nccl.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUgraph;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The order of what is enqueued on tensors: by moves, by calls, and by the program on streams of its own. */
class CudaOrderTest extends CudaCase {

    private static final int COUNT = 30_000;

    private CUstream stream;
    private CudaStream calls;

    @BeforeEach
    void streams() {
        CudaDevice device = memory.device(0);
        stream = new CUstream();
        inContext(() -> CudaResult.check(
                "cuStreamCreate", JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING)));
        kept(() -> JCudaDriver.cuStreamDestroy(stream));
        calls = device.launches().call(device.launches()::stream);
    }

    private void inContext(Runnable task) {
        try (CurrentContext ignored = CurrentContext.of(memory.device(0).context())) {
            task.run();
        }
    }

    private void fillOn(CUstream on, Tensor tensor, int value) {
        CUdeviceptr there = new DeviceAddress(tensor.address());
        CudaResult.check("cuMemsetD32Async", JCudaDriver.cuMemsetD32Async(there, value, tensor.count(), on));
    }

    /** {@return the handle of a call, as an engine makes it, that fills a tensor} */
    private CudaHandle filled(Tensor tensor, int value) {
        CudaHandle handle = memory.begin(List.of(tensor));
        handle.whenTurn(memory.device(0).launches(), () -> {
            handle.follow(calls);
            fillOn(calls.raw(), tensor, value);
            calls.complete(List.of(handle));
        });
        return handle;
    }

    private CudaTensor ints() {
        return (CudaTensor) zeroed(gpu(0), DType.INT32, COUNT);
    }

    @Test
    void chainOfMovesAndCalls_isDoneInOrder_whileNobodyWaits() {
        CudaTensor first = ints();
        CudaTensor second = ints();
        Tensor result = zeroed(Device.CPU, DType.INT32, COUNT);
        Handle last = Handle.DONE;
        cuda.hold(0, true);
        for (int i = 1; i <= 5; i++) {
            filled(first, i);
            memory.move(List.of(Move.copy(first, second)));
            filled(first, -i);
            last = memory.move(List.of(Move.copy(second, result)));
        }
        CompletableFuture<Void> ended = last.completed().toFuture();
        assertThat(ended).isNotDone();
        cuda.hold(0, false);
        Mono.fromFuture(ended).block(LIMIT);
        assertThat(result.toIntArray()).containsOnly(5);
        assertThat(first.toIntArray()).containsOnly(-5);
    }

    /** What is scaled on a device goes by way of the host: those behind it wait for its way back. */
    @Test
    void callBehindAScaledMove_seesItsResult() {
        Tensor scaled = zeroed(gpu(0), DType.FLOAT32, COUNT);
        Tensor copy = zeroed(gpu(0), DType.FLOAT32, COUNT);
        moved(Move.copy(filled(DType.FLOAT32, COUNT), scaled));
        float[] before = scaled.toFloatArray();
        memory.move(List.of(Move.scaled(scaled, scaled, 2)));
        CudaHandle handle = memory.begin(List.of(scaled, copy));
        handle.whenTurn(memory.device(0).launches(), () -> {
            handle.follow(calls);
            CUdeviceptr from = new DeviceAddress(scaled.address());
            JCudaDriver.cuMemcpyDtoDAsync(new DeviceAddress(copy.address()), from, copy.byteSize(), calls.raw());
            calls.complete(List.of(handle));
        });
        float[] after = copy.toFloatArray();
        for (int i = 0; i < COUNT; i++) {
            before[i] *= 2;
        }
        assertThat(after).isEqualTo(before);
    }

    @Test
    void ranksOfOneProcess_keepTheOrderOfTheirCommonTensors() {
        CudaMemory other = another("other");
        CudaTensor shared = ints();
        Tensor result = zeroed(Device.CPU, DType.INT32, COUNT);
        Tensor ones = kept(Tensor.of(IntStream.range(0, COUNT).map(i -> 1).toArray()));
        for (int i = 0; i < 10; i++) {
            memory.move(List.of(Move.zeros(shared)));
            other.move(List.of(Move.copy(ones, shared)));
        }
        memory.move(List.of(Move.copy(shared, result))).completed().block(LIMIT);
        assertThat(result.toIntArray()).containsOnly(1);
    }

    @Test
    void callThatFailsBeforeItsTurn_keepsThePlaceOfThoseBehindIt() {
        CudaTensor tensor = ints();
        Tensor result = zeroed(Device.CPU, DType.INT32, COUNT);
        cuda.hold(0, true);
        filled(tensor, 7);
        CudaHandle stopped = memory.begin(List.of(tensor));
        stopped.letGo();
        stopped.failed(new IllegalStateException("stopped"));
        stopped.whenTurn(memory.device(0).launches(), () -> {
            stopped.follow(calls);
            calls.complete(List.of(stopped));
        });
        Handle read = memory.move(List.of(Move.copy(tensor, result)));
        cuda.hold(0, false);
        read.completed().block(LIMIT);
        assertThat(result.toIntArray()).containsOnly(7);
        assertThatThrownBy(() -> stopped.completed().block(LIMIT)).hasMessageContaining("stopped");
    }

    @Test
    void viewOnAStream_isReadBehindWhatTheProgramHasEnqueuedThere() {
        CudaTensor tensor = ints();
        Tensor view = tensor.on(stream);
        tensor.awaitedBy(stream);
        cuda.hold(0, true);
        inContext(() -> fillOn(stream, tensor, 9));
        assertThat(view.borrow()).isTrue();
        CompletableFuture<int[]> read = CompletableFuture.supplyAsync(tensor::toIntArray);
        cuda.hold(0, false);
        assertThat(read.orTimeout(20, TimeUnit.SECONDS).join()).containsOnly(9);
        view.giveBack();
        inContext(() -> fillOn(stream, tensor, 10));
        assertThat(view.slice(0, 10).toIntArray()).containsOnly(10);
    }

    @Test
    void viewThatIsKept_recordsNoMore_sinceLaterWorkMayWaitForTheCall() {
        CudaTensor tensor = ints();
        Tensor view = tensor.on(stream);
        assertThat(view.keep()).isTrue();
        long before = cuda.calls("cuEventRecord");
        assertThat(view.slice(3, 4).borrow()).isTrue();
        view.giveBack();
        assertThat(cuda.calls("cuEventRecord")).isEqualTo(before);
        view.unkeep();
        assertThat(view.borrow()).isTrue();
        view.giveBack();
        assertThat(cuda.calls("cuEventRecord")).isEqualTo(before + 1);
        view.close();
        assertThat(view.borrow()).isFalse();
        assertThat(view.keep()).isFalse();
    }

    @Test
    void streamThatAwaitsATensorOrAHandle_goesOnBehindIt() {
        CudaTensor tensor = ints();
        CudaTensor copy = ints();
        copy.awaitedBy(stream);
        cuda.hold(0, true);
        CudaHandle handle = filled(tensor, 4);
        tensor.awaitedBy(stream);
        CUdeviceptr from = new DeviceAddress(tensor.address());
        inContext(
                () -> JCudaDriver.cuMemcpyDtoDAsync(new DeviceAddress(copy.address()), from, copy.byteSize(), stream));
        handle.waitOn(stream);
        assertThat(handle.isDone()).isFalse();
        cuda.hold(0, false);
        assertThat(copy.on(stream).toIntArray()).containsOnly(4);
        handle.completed().block(LIMIT);
        handle.waitOn(stream);
    }

    @Test
    void streamOnAThreadThatMustNotBlock_doesNotWaitForWhatIsNotEnqueued() {
        CudaTensor tensor = ints();
        CudaHandle handle = memory.begin(List.of(tensor));
        assertThatThrownBy(() -> Mono.fromRunnable(() -> handle.waitOn(stream))
                        .subscribeOn(Schedulers.parallel())
                        .block(LIMIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not enqueued yet");
        onLaunches(memory.device(0), () -> {
            handle.follow(calls);
            calls.complete(List.of(handle));
        });
        handle.completed().block(LIMIT);
    }

    @Test
    void streamThatCapturesAGraph_isRefused_andTheTensorIsLetGo() {
        CudaTensor tensor = ints();
        Tensor view = tensor.on(stream);
        inContext(() -> JCudaDriver.cuStreamBeginCapture(stream, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL));
        assertThatThrownBy(view::borrow)
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("CUDA graph");
        assertThatThrownBy(view::keep).isInstanceOf(InvalidCallException.class).hasMessageContaining("CUDA graph");
        assertThatThrownBy(() -> tensor.awaitedBy(stream)).isInstanceOf(InvalidCallException.class);
        assertThat(view.released().toFuture()).isDone();
        inContext(() -> JCudaDriver.cuStreamEndCapture(stream, new CUgraph()));
        assertThat(view.borrow()).isTrue();
        view.giveBack();
    }

    @Test
    void defaultStream_isRefused() {
        CudaTensor tensor = ints();
        assertThatThrownBy(() -> tensor.on(new CUstream()).borrow())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("default stream");
        assertThat(tensor.released().toFuture()).isDone();
    }
}

package io.reactivecomm.nccl.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.nccl.doubles.CudaDouble;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Tensors in the memory of CUDA devices. */
class CudaMemoryTest extends CudaCase {

    private static final int POOLS = 115;

    @AfterEach
    void mend() {
        cuda.memory(0);
        cuda.attribute(POOLS, 1);
    }

    @Test
    void tensor_isZeroed_andItsSegmentMeansNothingToTheHost() {
        CudaTensor tensor = (CudaTensor) kept(memory.allocate(gpu(1), DType.FLOAT32, 3, 5));
        assertThat(tensor).hasToString("FLOAT32[3, 5] on cuda:1");
        assertThat(tensor.device()).isEqualTo(gpu(1));
        assertThat(tensor.shape()).containsExactly(3, 5);
        assertThat(tensor.toFloatArray()).containsOnly(0);
        assertThat(tensor.segment().byteSize()).isZero();
        assertThat(tensor.slice(2, 4).address()).isEqualTo(tensor.address() + 8);
        assertThatThrownBy(() -> tensor.segment().get(ValueLayout.JAVA_BYTE, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(cuda.calls("cuMemAllocAsync")).isPositive();
    }

    @Test
    void arrays_ofEachKind_areReadOffTheLoop() {
        CudaTensor tensor = of(0, 1, 2, 3);
        assertThat(tensor.toFloatArray()).containsExactly(1, 2, 3);
        assertThat(tensor.slice(1, 2).toDoubleArray()).containsExactly(2, 3);
        assertThat(tensor.view(DType.INT32, 3).toIntArray()[0]).isEqualTo(Float.floatToRawIntBits(1));
        assertThat(tensor.view(DType.UINT32, 3).toLongArray()[0]).isEqualTo(Float.floatToRawIntBits(1));
        assertThat(tensor.view(DType.INT8, 12).toByteArray()).hasSize(12);
        assertThatThrownBy(() -> Mono.fromSupplier(tensor::toFloatArray)
                        .subscribeOn(Schedulers.parallel())
                        .block(LIMIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("must not block");
    }

    @Test
    void set_ofEachKind_isThereOnTheDevice_andRefusedOnTheLoop() {
        CudaTensor tensor = of(0, 1, 2, 3);
        tensor.set(new float[] {4, 5, 6});
        assertThat(tensor.toFloatArray()).containsExactly(4, 5, 6);
        tensor.slice(1, 1).set(new double[] {7});
        assertThat(tensor.toFloatArray()).containsExactly(4, 7, 6);
        tensor.view(DType.INT32, 3).set(new int[] {1, 2, 3});
        tensor.view(DType.UINT32, 3).slice(2, 1).set(new long[] {9});
        assertThat(tensor.view(DType.INT32, 3).toIntArray()).containsExactly(1, 2, 9);
        tensor.view(DType.INT8, 12).set(new byte[12]);
        assertThat(tensor.toFloatArray()).containsOnly(0);
        assertThatThrownBy(() -> tensor.set(new float[2])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Mono.fromRunnable(() -> tensor.set(new float[3]))
                        .subscribeOn(Schedulers.parallel())
                        .block(LIMIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("must not block");
    }

    @Test
    void close_ofABorrowedTensor_freesItsMemoryWithTheLastOne() {
        CudaTensor tensor = of(0, 1, 2, 3);
        assertThat(tensor.borrow()).isTrue();
        tensor.close();
        assertThat(cuda.held(CudaDouble.Held.ALLOCATIONS)).isEqualTo(1);
        assertThat(tensor.isClosed()).isTrue();
        assertThat(tensor.borrow()).isFalse();
        tensor.giveBack();
        assertThat(cuda.held(CudaDouble.Held.ALLOCATIONS)).isZero();
        assertThatThrownBy(tensor::segment).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void deviceWithoutPools_allocatesAndFreesAllTheSame() throws Exception {
        cuda.attribute(POOLS, 0);
        CudaMemory plain = another("plain");
        try (Tensor tensor = plain.allocate(gpu(0), DType.INT64, 1_000)) {
            assertThat(tensor.toLongArray()).containsOnly(0);
        }
        plain.close();
        plain.devices().getFirst().ended().get(20, TimeUnit.SECONDS);
        assertThat(cuda.held(CudaDouble.Held.ALLOCATIONS)).isZero();
        assertThat(cuda.calls("cuMemFree")).isPositive();
    }

    @Test
    void memoryThatIsNotLeft_isAnError_untilSomeIsFreed() {
        cuda.memory(1_000_000);
        Tensor most = memory.allocate(gpu(0), DType.INT8, 900_000);
        assertThatThrownBy(() -> memory.allocate(gpu(0), DType.INT8, 200_000))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessageContaining("device=0")
                .hasMessageContaining("bytes=200000");
        most.close();
        memory.allocate(gpu(0), DType.INT8, 200_000).close();
        cuda.fail("cuMemsetAsync", 999, 0, 1);
        assertThatThrownBy(() -> memory.allocate(gpu(0), DType.INT8, 10)).isInstanceOf(CudaException.class);
    }

    @Test
    void whatIsNotThere_isRefused() {
        assertThatThrownBy(() -> memory.allocate(gpu(99), DType.INT8, 1))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("index=99");
        assertThatThrownBy(() -> memory.allocate(new Device("fake", 0), DType.INT8, 1))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("fake:0");
        assertThatThrownBy(() -> memory.allocate(gpu(0), DType.INT8, -1)).isInstanceOf(IllegalArgumentException.class);
        CudaMemory closed = another("closed");
        closed.close();
        assertThatThrownBy(() -> closed.allocate(gpu(0), DType.INT8, 1))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void closedMemory_keepsItsContext_untilItsLastTensorIsClosed() {
        CudaMemory short_ = another("short");
        CudaTensor tensor = (CudaTensor) short_.allocate(gpu(0), DType.INT32, 10);
        CompletableFuture<Void> ended = short_.devices().getFirst().ended();
        short_.close();
        short_.close();
        assertThat(ended).isNotDone();
        moved(Move.copy(kept(Tensor.of(new int[10])), tensor));
        tensor.close();
        Mono.fromFuture(ended).block(LIMIT);
    }

    @Test
    void pointersOfTheProgram_areTensorsOfOneOrder_andFreedByTheirOwner() {
        CUdeviceptr pointer = new CUdeviceptr();
        try (CurrentContext ignored = CurrentContext.of(memory.device(1).context())) {
            CudaResult.check("cuMemAlloc", JCudaDriver.cuMemAlloc(pointer, 400));
        }
        AtomicInteger freed = new AtomicInteger();
        CudaTensor low = CudaTensor.of(1, pointer, freed::incrementAndGet, DType.INT32, 50);
        CudaTensor high = CudaTensor.of(1, pointer.withByteOffset(200), freed::incrementAndGet, DType.INT32, 50);
        assertThat(CudaBlocks.JVM.held()).isEqualTo(1);
        memory.move(List.of(Move.zeros(low)));
        moved(Move.copy(low, high));
        Tensor result = zeroed(Device.CPU, DType.INT32, 50);
        moved(Move.copy(high, result));
        assertThat(result.toIntArray()).containsOnly(0);
        low.close();
        high.close();
        assertThat(freed).hasValue(2);
        assertThatThrownBy(() -> CudaTensor.of(0, pointer, () -> {}, DType.INT32, 50))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("device=1");
        assertThatThrownBy(() -> CudaTensor.of(1, pointer, () -> {}, DType.INT32, 101))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("=400");
        assertThatThrownBy(() -> CudaTensor.of(1, Pointer.to(new int[50]), () -> {}, DType.INT32, 50))
                .isInstanceOf(InvalidCallException.class);
        try (CurrentContext ignored = CurrentContext.of(memory.device(1).context())) {
            CudaResult.check("cuMemFree", JCudaDriver.cuMemFree(pointer));
        }
    }
}

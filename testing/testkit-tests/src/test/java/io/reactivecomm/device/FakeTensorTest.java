package io.reactivecomm.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLife;
import io.reactivecomm.testkit.device.FakeMemory;
import io.reactivecomm.testkit.device.FakeThread;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Tensors whose memory the host does not reach. */
class FakeTensorTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final int heldBefore = FakeMemory.held();

    @AfterEach
    void nothingIsLeft() {
        assertThat(FakeMemory.held()).isEqualTo(heldBefore);
    }

    private static Tensor of(float... values) {
        Tensor there = FakeMemory.JVM.allocate(FakeMemory.device(1), DType.FLOAT32, values.length);
        try (Tensor here = Tensor.of(values)) {
            FakeMemory.JVM.move(List.of(Move.copy(here, there))).completed().block(LIMIT);
        }
        return there;
    }

    @Test
    void segment_isZeroLength_atAnAddressThatMeansNothing() {
        try (Tensor tensor = of(1, 2, 3)) {
            assertThat(tensor.device()).isEqualTo(FakeMemory.device(1));
            assertThat(tensor).hasToString("FLOAT32[3] on fake:1");
            assertThat(tensor.segment().byteSize()).isZero();
            assertThat(tensor.segment().address()).isEqualTo(tensor.address());
            assertThat(tensor.slice(1, 2).address()).isEqualTo(tensor.address() + 4);
            assertThatThrownBy(() -> tensor.segment().get(ValueLayout.JAVA_BYTE, 0))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void arrays_offTheLoop_waitForWhatWasEnqueued() {
        try (Tensor tensor = of(1, 2, 3);
                Tensor scaled = FakeMemory.JVM.allocate(FakeMemory.device(1), DType.FLOAT64, 3)) {
            CompletableFuture<double[]> read;
            try (FakeThread.Pause pause = FakeThread.pause()) {
                FakeMemory.JVM.move(List.of(Move.scaled(tensor, scaled, 10)));
                read = Mono.fromSupplier(scaled::toDoubleArray)
                        .subscribeOn(Schedulers.boundedElastic())
                        .toFuture();
                assertThat(read).isNotDone();
            }
            assertThat(Mono.fromFuture(read).block(LIMIT)).containsExactly(10, 20, 30);
            assertThat(tensor.slice(1, 2).toFloatArray()).containsExactly(2, 3);
            assertThat(tensor.view(DType.INT32, 3).toIntArray()[0]).isEqualTo(Float.floatToRawIntBits(1));
        }
    }

    @Test
    void arrays_onAThreadThatMustNotBlock_areRefused() {
        try (Tensor tensor = of(1, 2, 3)) {
            assertThatThrownBy(() -> Mono.fromSupplier(tensor::toFloatArray)
                            .subscribeOn(Schedulers.parallel())
                            .block(LIMIT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("FLOAT32[3] on fake:1")
                    .hasMessageContaining("must not block");
            assertThat(tensor.released().toFuture()).isDone();
        }
    }

    @Test
    void close_ofABorrowedTensor_freesItsMemoryWithTheLastMove() {
        Tensor tensor = of(1, 2, 3);
        assertThat(tensor.borrow()).isTrue();
        tensor.close();
        assertThat(FakeMemory.held()).isEqualTo(heldBefore + 1);
        assertThat(tensor.borrow()).isFalse();
        tensor.giveBack();
        assertThat(FakeMemory.held()).isEqualTo(heldBefore);
        assertThatThrownBy(tensor::toFloatArray)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(tensor::segment).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> tensor.slice(0, 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void deviceThatIsNotThere_isRefused() {
        assertThatThrownBy(() -> FakeMemory.JVM.allocate(FakeMemory.device(99), DType.INT8, 1))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("fake:99");
    }

    /** What an author of tensors in memory of another kind has. */
    @Test
    void life_ofAnothersTensors_freesOnce_whenClosedAndNotBorrowed() {
        AtomicInteger freed = new AtomicInteger();
        TensorLife life = new TensorLife(freed::incrementAndGet);
        assertThat(life.keep()).isTrue();
        life.close();
        life.close();
        assertThat(life.isClosed()).isTrue();
        assertThat(life.borrow()).as("a call of what keeps it").isTrue();
        life.giveBack();
        assertThat(life.isFreed()).isFalse();
        CompletableFuture<Void> released = life.released().toFuture();
        assertThat(released).isNotDone();
        life.unkeep();
        assertThat(released).isDone();
        assertThat(life.isFreed()).isTrue();
        assertThat(life.borrow()).isFalse();
        assertThat(freed).hasValue(1);
    }
}

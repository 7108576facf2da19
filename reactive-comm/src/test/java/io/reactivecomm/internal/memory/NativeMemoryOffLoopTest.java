package io.reactivecomm.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The thread on which a tensor's memory is given back: not a loop's, if there is much of it. */
class NativeMemoryOffLoopTest {

    private static final long LARGE = 32L << 20;

    /** Memory that notes on which kind of thread it is given back. */
    private static final class Noted implements TensorMemory, AutoCloseable {

        private final Arena arena = Arena.ofShared();
        private final CompletableFuture<Boolean> givenBackOnALoop = new CompletableFuture<>();

        @Override
        public MemorySegment take(long bytes) {
            return arena.allocate(bytes, 64);
        }

        @Override
        public void giveBack(MemorySegment memory) {
            givenBackOnALoop.complete(Schedulers.isInNonBlockingThread());
        }

        @Override
        public void close() {
            arena.close();
        }
    }

    private static boolean givenBackOnALoop(long bytes) throws Exception {
        try (Noted memory = new Noted()) {
            Tensor tensor = Tensor.allocate(memory, DType.UINT8, bytes);
            Mono.fromRunnable(tensor::close).subscribeOn(Schedulers.parallel()).block();
            return memory.givenBackOnALoop.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void close_ofLargeMemoryOnALoop_givesItBackElsewhere() throws Exception {
        assertThat(givenBackOnALoop(LARGE)).isFalse();
    }

    @Test
    void close_ofLittleMemoryOnALoop_givesItBackThere() throws Exception {
        assertThat(givenBackOnALoop(LARGE / 2)).isTrue();
    }

    /** Memory of which there is one piece; it comes back only once somebody has asked for it in vain. */
    private static final class Scarce implements TensorMemory, AutoCloseable {

        private final Arena arena = Arena.ofShared();
        private final MemorySegment only = arena.allocate(LARGE, 64);
        private final CountDownLatch askedInVain = new CountDownLatch(1);
        private final AtomicBoolean taken = new AtomicBoolean();
        private final boolean comesMeanwhile;

        private Scarce(boolean comesMeanwhile) {
            this.comesMeanwhile = comesMeanwhile;
        }

        @Override
        public @Nullable MemorySegment take(long bytes) {
            if (taken.compareAndSet(false, true)) {
                return only;
            }
            askedInVain.countDown();
            if (comesMeanwhile) {
                // Nothing is on its way any more when the caller hears that there was none.
                LateFreeing.PROCESS.await(this);
            }
            return null;
        }

        @Override
        public void giveBack(MemorySegment memory) {
            try {
                assertThat(askedInVain.await(20, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            taken.set(false);
        }

        @Override
        public void close() {
            arena.close();
        }
    }

    @ParameterizedTest(name = "comesMeanwhile={0}")
    @ValueSource(booleans = {false, true})
    @Timeout(60)
    void allocate_whileLargeMemoryIsOnItsWayBack_waitsForIt(boolean comesMeanwhile) {
        try (Scarce memory = new Scarce(comesMeanwhile)) {
            Tensor tensor = Tensor.allocate(memory, DType.UINT8, LARGE);
            Mono.fromRunnable(tensor::close).subscribeOn(Schedulers.parallel()).block();

            try (Tensor next = Tensor.allocate(memory, DType.UINT8, LARGE)) {
                assertThat(next.segment().address()).isEqualTo(memory.only.address());
            }
        }
    }

    @Test
    void largeMemory_allocatedOnALoop_isZero() {
        Tensor tensor = Mono.fromSupplier(() -> Tensor.allocate(DType.UINT8, LARGE))
                .subscribeOn(Schedulers.parallel())
                .block();
        try (tensor) {
            assertThat(tensor.segment().mismatch(MemorySegment.ofArray(new byte[(int) LARGE])))
                    .isEqualTo(-1);
        }
    }
}

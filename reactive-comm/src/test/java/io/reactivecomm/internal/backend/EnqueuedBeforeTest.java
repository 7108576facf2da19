package io.reactivecomm.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import io.reactivecomm.spi.engine.EnqueuedHandle;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Calls that are enqueued one behind the other, as an in-place all-reduce of each training step is. */
class EnqueuedBeforeTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final Tensor tensor =
            Tensor.onDevice(new NoMemory(), new Device("slow", 0), 64, () -> {}, DType.FLOAT32, 2);

    /** Memory of which nothing is asked. */
    private static final class NoMemory implements DeviceMemory {

        @Override
        public String kind() {
            return "slow";
        }

        @Override
        public Tensor allocate(Device device, DType type, long... shape) {
            throw new OutOfMemoryError("it has no more");
        }

        @Override
        public Handle move(List<Move> moves) {
            throw new IllegalStateException("nothing moves");
        }
    }

    @AfterEach
    void closeTensor() {
        tensor.close();
    }

    /** Enqueues a call that reads and writes the tensor. */
    private EnqueuedHandle enqueue() {
        EnqueuedHandle handle = new EnqueuedHandle();
        Mono<Void> before = EnqueuedBefore.on(List.of(tensor));
        if (before == null) {
            tensor.enqueued(handle);
        } else {
            tensor.enqueued(EnqueuedBefore.behind(before, handle));
        }
        return handle;
    }

    @Test
    void tenThousandCalls_onAStalledDevice_failWithTheFirst() {
        EnqueuedHandle first = enqueue();
        for (int i = 0; i < 10_000; i++) {
            enqueue().succeeded();
        }
        Mono<Void> state = tensor.readiness();
        assertThat(state).isNotNull();
        first.failed(new CommException("planted"));
        StepVerifier.create(state).expectErrorMessage("planted").verify(LIMIT);
    }

    @Test
    void tenThousandCalls_onAStalledDevice_succeedWithTheFirst() {
        EnqueuedHandle first = enqueue();
        for (int i = 0; i < 10_000; i++) {
            enqueue().succeeded();
        }
        Mono<Void> state = tensor.readiness();
        assertThat(state).isNotNull();
        first.succeeded();
        StepVerifier.create(state).expectComplete().verify(LIMIT);
        assertThat(tensor.readiness()).isNull();
    }

    /** One call is always under way. */
    @Test
    void callsThatAreOver_areForgotten() {
        EnqueuedHandle running = enqueue();
        @Nullable WeakReference<Mono<Void>> early = null;
        for (int i = 0; i < 100; i++) {
            EnqueuedHandle next = enqueue();
            running.succeeded();
            running = next;
            early = early == null ? new WeakReference<>(next.completed()) : early;
        }
        assertThat(early).isNotNull();
        for (int i = 0; i < 50 && early.get() != null; i++) {
            System.gc();
        }
        assertThat(early.get()).isNull();
        assertThat(tensor.readiness()).isNotNull();
        running.succeeded();
    }
}

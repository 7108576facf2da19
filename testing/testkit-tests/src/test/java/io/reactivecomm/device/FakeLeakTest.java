package io.reactivecomm.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.testkit.device.FakeMemory;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Tensors of a device that nobody closes. */
class FakeLeakTest {

    private static final long LIMIT_NANOS = Duration.ofSeconds(20).toNanos();

    @Test
    void tensor_thatNobodyReaches_isFreed() {
        int before = FakeMemory.held();
        drop();
        long deadline = System.nanoTime() + LIMIT_NANOS;
        // The collector sends no event.
        while (FakeMemory.held() > before && System.nanoTime() - deadline < 0) {
            System.gc();
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(FakeMemory.held()).isEqualTo(before);
    }

    private static void drop() {
        FakeMemory.JVM.allocate(FakeMemory.device(0), DType.INT8, 100).slice(5, 10);
        assertThat(FakeMemory.held()).isPositive();
    }
}

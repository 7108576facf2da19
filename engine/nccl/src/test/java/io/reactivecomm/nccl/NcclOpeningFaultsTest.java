package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.RendezvousException;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.testkit.NeedsGcc;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.Disposable;

/** Engines that cannot be opened on one rank: nothing of them is left on any. */
@ExtendWith(NeedsGcc.class)
class NcclOpeningFaultsTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Of CUDA's results the one that a function may have at any time. */
    private static final int OUT_OF_MEMORY = 2;

    private final NcclDouble nccl = NcclDoubleProvider.nccl(NcclDoubleDialect.NCCL);

    private Map<CudaDouble.Held, Long> heldBefore = Map.of();

    @BeforeEach
    void begin() {
        nccl.clear();
        CudaDouble.JVM.forgetFaults();
        heldBefore = held();
        NcclDoubleProvider.taken();
    }

    @AfterEach
    void end() {
        nccl.clear();
        CudaDouble.JVM.fail("", 0, 0, 0);
    }

    private void requireNoWorld(String cause) {
        assertThatThrownBy(() -> NcclWorlds.Ranks.open(2, "cpu:links,cuda:" + NcclWorlds.NEWEST))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining(cause);
        // A rank whose opening was cancelled may still be at it.
        for (long deadline = System.nanoTime() + LIMIT.toNanos(); !isNothingLeft() && System.nanoTime() < deadline; ) {
            Thread.onSpinWait();
        }
        NcclDoubleProvider.taken().forEach(NcclDoubleProvider.Opened::awaitEnd);
        assertThat(nccl.comms()).as("communicators that are left").isZero();
        assertThat(held()).isEqualTo(heldBefore);
        assertThat(nccl.faults()).isEmpty();
        assertThat(CudaDouble.JVM.faults()).isEmpty();
    }

    private boolean isNothingLeft() {
        return nccl.comms() == 0 && held().equals(heldBefore);
    }

    private static Map<CudaDouble.Held, Long> held() {
        Map<CudaDouble.Held, Long> held = new EnumMap<>(CudaDouble.Held.class);
        for (CudaDouble.Held what : CudaDouble.Held.values()) {
            held.put(what, CudaDouble.JVM.held(what));
        }
        return held;
    }

    /** As where another rank has failed meanwhile. */
    @Test
    void openingThatIsCancelled_whileItBlocks_closesWhatComesAllTheSame() throws InterruptedException {
        HostLaunchStream stream = new HostLaunchStream("cancelled");
        CountDownLatch isOpening = new CountDownLatch(1);
        CountDownLatch isCancelled = new CountDownLatch(1);
        Disposable opening = NcclEngineProvider.place(() -> {
                    isOpening.countDown();
                    awaitUninterruptibly(isCancelled);
                    return new NcclEngineProvider.Place(nccl.library(), stream, Long.MAX_VALUE);
                })
                .subscribe();
        assertThat(isOpening.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();

        opening.dispose();
        isCancelled.countDown();

        assertThat(stream.thread().join(LIMIT)).as("the thread has ended").isTrue();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        // A cancellation interrupts; a driver does not heed that.
        for (long deadline = System.nanoTime() + LIMIT.toNanos();
                latch.getCount() > 0 && System.nanoTime() < deadline; ) {
            Thread.onSpinWait();
        }
    }

    /** In the order in which they are called; the state of the communicator is asked while it is made, and after its first call. */
    @ParameterizedTest
    @CsvSource({
        "GetVersion,0",
        "GetUniqueId,0",
        "CommInitRankConfig,0",
        "CommGetAsyncError,0",
        "CommGetAsyncError,3",
        "AllReduce,0"
    })
    void functionOfNcclThatFails_isTheRendezvousError_andNothingIsLeft(String stem, int after) {
        nccl.plan(stem, stem.startsWith("Get") ? NcclDouble.ANY : 0, NcclResult.SYSTEM_ERROR, after);

        requireNoWorld("system error");
    }

    /** The stream of launches, its word, and what the first call needs. */
    @ParameterizedTest
    @CsvSource({
        "cuStreamCreate,1",
        "cuMemHostAlloc,1",
        "cuMemHostGetDevicePointer,1",
        "cuMemAllocAsync,0",
        "cuEventRecord,0",
        "cuEventCreate,0",
        "cuStreamWriteValue32,0",
        "cuCtxPushCurrent,0"
    })
    void functionOfCudaThatFails_isTheRendezvousError_andNothingIsLeft(String function, int skip) {
        CudaDouble.JVM.fail(function, OUT_OF_MEMORY, skip, 1);

        requireNoWorld("");
    }
}

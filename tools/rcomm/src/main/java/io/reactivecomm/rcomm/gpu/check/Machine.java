package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.CommException;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Handle;
import io.reactivecomm.nccl.NcclProbe;
import io.reactivecomm.nccl.cuda.CudaDevice;
import io.reactivecomm.nccl.cuda.CudaDriver;
import io.reactivecomm.nccl.cuda.CudaMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The driver, the first GPU and the library of this machine, as far as they are there. They are loaded once, when the first check asks.
 *
 * <p><b>Threads.</b> One at a time that is no device's.
 */
public final class Machine implements AutoCloseable {

    /** The GPU that is checked, of those that this process sees. */
    static final int DEVICE = 0;

    private static final String DRIVER = "libcuda.so.1";
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** As many wait on the device at once. */
    private static final int TIMES = 10;

    private final CheckSizes sizes;
    private final Map<String, String> environment;
    private @Nullable NcclProbe nccl;
    private @Nullable CudaDevice device;
    private @Nullable CudaMemory memory;
    private volatile boolean isAbandoned;

    Machine(CheckSizes sizes, Map<String, String> environment) {
        this.sizes = sizes;
        this.environment = Map.copyOf(environment);
    }

    /** {@return how much is measured} */
    public CheckSizes sizes() {
        return sizes;
    }

    /**
     * {@return the driver}
     *
     * @throws SkippedCheck if there is none
     * @throws UnsupportedCollectiveException if it is there, and it or JCuda cannot be used
     */
    CudaDriver driver() throws SkippedCheck {
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup.libraryLookup(DRIVER, arena);
        } catch (IllegalArgumentException e) {
            throw new SkippedCheck("no CUDA driver");
        }
        return CudaDriver.load();
    }

    /** {@return the GPU, opened} */
    CudaDevice device() throws SkippedCheck {
        if (isAbandoned) {
            throw new SkippedCheck("a row before does not end");
        }
        if (device == null) {
            CudaDriver driver = usableDriver();
            if (driver.devices() == 0) {
                throw new SkippedCheck("no GPU");
            }
            device = CudaDevice.open(DEVICE, "check");
        }
        return device;
    }

    /** What is wrong with the driver is its own row's to say. */
    private CudaDriver usableDriver() throws SkippedCheck {
        try {
            return driver();
        } catch (UnsupportedCollectiveException e) {
            throw new SkippedCheck("the CUDA driver cannot be used");
        }
    }

    /** {@return the memory of the GPU} */
    public CudaMemory memory() throws SkippedCheck {
        device();
        if (memory == null) {
            memory = CudaMemory.open(DEVICE, "check");
        }
        return memory;
    }

    /** {@return the GPU whose memory it is} */
    public Device gpu() {
        return new Device(CudaMemory.KIND, DEVICE);
    }

    /**
     * {@return the nanoseconds that the device takes for something that is enqueued, the median of the rounds} It is enqueued several times before the host waits, so that the device
     * has it before it needs it.
     */
    public double nanos(Supplier<Handle> enqueued) {
        int rounds = sizes.rounds();
        nanosOfRound(enqueued);
        return Median.of(rounds, () -> nanosOfRound(enqueued)) / TIMES;
    }

    private static long nanosOfRound(Supplier<Handle> enqueued) {
        enqueued.get().completed().block(LIMIT);
        long begun = System.nanoTime();
        List<Handle> all = Stream.generate(enqueued).limit(TIMES).toList();
        all.getLast().completed().block(LIMIT);
        return System.nanoTime() - begun;
    }

    /** {@return the library, of any kind} */
    NcclProbe library() throws SkippedCheck {
        if (nccl == null) {
            try {
                nccl = NcclProbe.open(environment);
            } catch (UnsupportedCollectiveException e) {
                throw new SkippedCheck("no NCCL library: " + CommException.textOf(e));
            }
        }
        return nccl;
    }

    /** {@return the library, if it takes memory of CUDA} */
    NcclProbe nccl() throws SkippedCheck {
        NcclProbe library = library();
        if (!library.isNvidias()) {
            throw new SkippedCheck("no NCCL library: loaded=" + library.label());
        }
        return library;
    }

    /** Leaves the GPU alone from now on: something on it does not end. */
    void abandon() {
        isAbandoned = true;
    }

    @Override
    public void close() {
        if (memory != null && !isAbandoned) {
            memory.close();
        }
        if (device != null && !isAbandoned) {
            device.close();
            device.ended().join();
        }
    }
}

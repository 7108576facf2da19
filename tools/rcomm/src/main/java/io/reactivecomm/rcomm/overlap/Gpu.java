package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.CommException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/**
 * A program's own use of one GPU, beside the library's: streams, and events that take the time, in the device's primary context.
 *
 * <p><b>Threads.</b> Any; what needs the context has it for as long as it takes.
 */
final class Gpu implements AutoCloseable {

    private static final double NANOS_PER_MILLI = 1e6;

    private final CUdevice device = new CUdevice();
    private final CUcontext context = new CUcontext();
    private final List<CUstream> streams = new ArrayList<>();

    /** Opens it: the driver is loaded already, by the engine of the same rank. */
    Gpu(int index) {
        check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, index));
        check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
    }

    private static void check(String function, int code) {
        if (code != CUresult.CUDA_SUCCESS) {
            throw new CommException("a function of CUDA failed: function=" + function + ", error="
                    + CUresult.stringFor(code) + "; look whether the GPU has room, and at `rcomm gpu-check`");
        }
    }

    /** Does something with the context. */
    <T> T with(Supplier<T> work) {
        check("cuCtxPushCurrent", JCudaDriver.cuCtxPushCurrent(context));
        try {
            return work.get();
        } finally {
            check("cuCtxPopCurrent", JCudaDriver.cuCtxPopCurrent(new CUcontext()));
        }
    }

    /** {@return a new stream, which ends with this} */
    CUstream stream() {
        return with(() -> {
            CUstream stream = new CUstream();
            check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
            streams.add(stream);
            return stream;
        });
    }

    /** {@return an event that takes the time at which a stream comes to it} */
    CUevent recorded(CUstream stream) {
        return with(() -> {
            CUevent event = new CUevent();
            check("cuEventCreate", JCudaDriver.cuEventCreate(event, CUevent_flags.CU_EVENT_DEFAULT));
            check("cuEventRecord", JCudaDriver.cuEventRecord(event, stream));
            return event;
        });
    }

    /** Blocks until an event is reached. */
    void synchronize(CUevent event) {
        with(() -> {
            check("cuEventSynchronize", JCudaDriver.cuEventSynchronize(event));
            return true;
        });
    }

    /** {@return the time between two events that are reached} */
    long nanos(CUevent from, CUevent to) {
        return with(() -> {
            float[] millis = new float[1];
            check("cuEventElapsedTime", JCudaDriver.cuEventElapsedTime(millis, from, to));
            return Math.round(millis[0] * NANOS_PER_MILLI);
        });
    }

    void destroy(List<CUevent> events) {
        with(() -> {
            events.forEach(event -> check("cuEventDestroy", JCudaDriver.cuEventDestroy(event)));
            return true;
        });
    }

    /** Waits for its streams, and ends them. */
    @Override
    public void close() {
        with(() -> {
            streams.forEach(stream -> check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream)));
            streams.forEach(stream -> check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream)));
            return true;
        });
        check("cuDevicePrimaryCtxRelease", JCudaDriver.cuDevicePrimaryCtxRelease(device));
    }
}

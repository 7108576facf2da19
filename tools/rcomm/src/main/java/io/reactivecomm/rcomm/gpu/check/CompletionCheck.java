package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.nccl.cuda.CudaDevice;
import io.reactivecomm.nccl.cuda.CudaException;
import io.reactivecomm.nccl.cuda.CudaStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/** The time from a mark in an empty stream until the host is told of it, as the engine is, and beside it that of waiting for an event. */
final class CompletionCheck implements Check {

    private static final long LIMIT_SECONDS = 10;

    /** Marks are short, and many make the compiler see them. */
    private static final int MARKS_A_ROUND = 100;

    @Override
    public String name() {
        return "completion";
    }

    @Override
    public String claim() {
        return "the end of a stream reaches Java, and how fast on an idle GPU, the launch of the mark included; nothing of a busy one";
    }

    @Override
    public Map<String, Object> measure(Machine machine) throws SkippedCheck {
        CudaDevice device = machine.device();
        CudaStream stream = device.launches().call(() -> device.launches().stream());
        int marks = MARKS_A_ROUND * machine.sizes().rounds();
        Median.of(marks, () -> markNanos(device, stream));
        double told = Median.of(marks, () -> markNanos(device, stream));
        double waited = device.launches().call(() -> eventNanos(stream, marks));
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("markMicros", Median.micros(told));
        values.put("eventMicros", Median.micros(waited));
        return values;
    }

    private static long markNanos(CudaDevice device, CudaStream stream) {
        CompletableFuture<Long> nanos = new CompletableFuture<>();
        device.launches().execute(() -> {
            long begun = System.nanoTime();
            try {
                stream.mark(failed -> tell(nanos, begun, failed));
            } catch (CudaException e) {
                nanos.completeExceptionally(e);
            }
        });
        try {
            return nanos.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            throw new IllegalStateException(
                    "a mark in an empty stream is not reached: waited=" + LIMIT_SECONDS + " s, cause=" + e.getCause(),
                    e);
        }
    }

    private static void tell(CompletableFuture<Long> nanos, long begun, @Nullable CudaException failed) {
        if (failed == null) {
            nanos.complete(System.nanoTime() - begun);
        } else {
            nanos.completeExceptionally(failed);
        }
    }

    private static double eventNanos(CudaStream stream, int times) {
        CUevent event = new CUevent();
        CudaCall.check("cuEventCreate", JCudaDriver.cuEventCreate(event, CUevent_flags.CU_EVENT_DISABLE_TIMING));
        try {
            return Median.of(times, () -> {
                long begun = System.nanoTime();
                CudaCall.check("cuEventRecord", JCudaDriver.cuEventRecord(event, stream.raw()));
                CudaCall.check("cuEventSynchronize", JCudaDriver.cuEventSynchronize(event));
                return System.nanoTime() - begun;
            });
        } finally {
            JCudaDriver.cuEventDestroy(event);
        }
    }
}

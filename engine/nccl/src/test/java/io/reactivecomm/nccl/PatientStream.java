package io.reactivecomm.nccl;

import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.nccl.cuda.DeviceAllocator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A stream that returns from what is done aside when a test has heard what comes of it, as if the thread that tells had been held up. */
final class PatientStream implements LaunchStream {

    private static final long LIMIT_SECONDS = 20;

    private final LaunchStream stream;
    private volatile CompletableFuture<?> awaited = CompletableFuture.completedFuture("");

    PatientStream(LaunchStream stream) {
        this.stream = stream;
    }

    /** What is done aside from here on has been done, and what comes of it has been told, when it returns. */
    void await(CompletableFuture<?> told) {
        awaited = told;
    }

    @Override
    public void aside(String name, Runnable task) {
        stream.aside(name, task);
        if (!awaited.isDone()) {
            awaited.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
        }
    }

    @Override
    public void execute(Runnable task) {
        stream.execute(task);
    }

    @Override
    public long address() {
        return stream.address();
    }

    @Override
    public @Nullable DeviceMemory memory() {
        return stream.memory();
    }

    @Override
    public Device device() {
        return stream.device();
    }

    @Override
    public void allocateBy(DeviceAllocator allocator) {
        stream.allocateBy(allocator);
    }

    @Override
    public void requireKnown(List<Tensor> tensors) {}

    @Override
    public Tensor scratch(long bytes) {
        return stream.scratch(bytes);
    }

    @Override
    public LaunchPlace place(List<List<Tensor>> tensors) {
        return stream.place(tensors);
    }

    @Override
    public void copy(long from, long to, long bytes) {
        stream.copy(from, to, bytes);
    }

    @Override
    public void await(BooleanSupplier isSo) {
        stream.await(isSo);
    }

    @Override
    public void watch(Runnable look) {
        stream.watch(look);
    }

    @Override
    public void close() {
        stream.close();
    }
}

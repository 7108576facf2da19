package io.reactivecomm.nccl;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.nccl.cuda.DeviceAllocator;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.engine.EnqueuedHandle;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A thread for a library whose calls are done when they return, on the host's memory. What it is held by it does not leave, as such a library cannot be made to.
 *
 * <p><b>Threads.</b> Any.
 */
final class HostLaunchStream implements LaunchStream {

    private static final Logger LOG = WarningLog.of(HostLaunchStream.class);

    private static final long PAUSE_NANOS = 20_000;

    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final Thread thread;
    private boolean isEnding;

    /** @param name of its thread */
    HostLaunchStream(String name) {
        thread = Thread.ofPlatform().daemon().name(name).start(this::work);
    }

    private void work() {
        while (!isEnding) {
            try {
                tasks.take().run();
            } catch (InterruptedException e) {
                LOG.debug("the thread of a library goes on, as only its end ends it: thread={}", thread.getName());
            } catch (RuntimeException | Error e) {
                LOG.error(
                        "a task of a library's thread has failed: thread={}",
                        thread.getName(),
                        WarningLog.printable(e));
            }
        }
    }

    /** {@return what ends with it} */
    Thread thread() {
        return thread;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public long address() {
        return 0;
    }

    @Override
    public Device device() {
        return Device.CPU;
    }

    @Override
    public @Nullable DeviceMemory memory() {
        return null;
    }

    @Override
    public void allocateBy(DeviceAllocator allocator) {}

    /** The host's memory has no order. */
    @Override
    public void requireKnown(List<Tensor> tensors) {}

    @Override
    public Tensor scratch(long bytes) {
        return Tensor.allocate(DType.UINT8, bytes);
    }

    @Override
    public LaunchPlace place(List<List<Tensor>> tensors) {
        return new Place(tensors.stream().map(each -> new EnqueuedHandle()).toList());
    }

    @Override
    public void copy(long from, long to, long bytes) {
        if (from != to) {
            at(to, bytes).copyFrom(at(from, bytes));
        }
    }

    private static MemorySegment at(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    @Override
    public void await(BooleanSupplier isSo) {
        while (!isSo.getAsBoolean()) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
    }

    /** Nothing is on a stream when a call has returned. */
    @Override
    public void watch(Runnable look) {}

    @Override
    public void aside(String name, Runnable task) {
        Thread.ofPlatform().daemon().name(thread.getName() + "-" + name).start(task);
    }

    @Override
    public void close() {
        execute(() -> isEnding = true);
    }

    private record Place(List<EnqueuedHandle> handles) implements LaunchPlace {

        @Override
        public boolean isTurn() {
            return true;
        }

        @Override
        public void whenTurn(Runnable told) {
            throw new IllegalStateException("the host's memory has no order: it is its turn at once");
        }

        @Override
        public void follow() {}

        @Override
        public void complete() {
            handles.forEach(EnqueuedHandle::succeeded);
        }
    }
}

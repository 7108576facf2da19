package io.reactivecomm.nccl.cuda;

import io.reactivecomm.spi.WaitPolicy;
import io.reactivecomm.spi.WarningLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import jcuda.driver.CUcontext;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.JCudaDriver;
import org.slf4j.Logger;
import reactor.core.scheduler.NonBlocking;

/**
 * A platform thread on which a device's context is current all the time. It does tasks in the order in which they come, and between them polls what
 * is on the
 * device; with nothing there, it is parked.
 *
 * <p><b>Threads.</b> Tasks come from any; all else is done on its own.
 */
public final class CudaWorker implements Executor {

    private static final Logger LOG = WarningLog.of(CudaWorker.class);

    private static final long PARK_NANOS = 20_000;

    private final CudaDevice device;
    private final Thread thread;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final List<Poll> polls = new ArrayList<>();
    private final List<CudaStream> streams = new ArrayList<>();
    private final List<Runnable> endings = new ArrayList<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final WaitPolicy policy = new WaitPolicy(false, WaitPolicy.AWAKE_NANOS);
    private boolean isEnding;

    /** A thing on a device that is asked now and then for what has become of it. */
    @FunctionalInterface
    public interface Poll {

        /** {@return whether it is to be asked again soon; if not, then with the next task} */
        boolean poll(long now);
    }

    private static final class CudaThread extends Thread implements NonBlocking {

        private CudaThread(Runnable work, String name) {
            super(null, work, name, 0, false);
            setDaemon(true);
        }
    }

    private CudaWorker(CudaDevice device, String name, CompletableFuture<?> begun) {
        this.device = device;
        this.thread = new CudaThread(() -> run(begun), name);
    }

    /**
     * Starts one; waits until its context is there.
     *
     * @throws CudaException if it cannot be
     */
    static CudaWorker start(CudaDevice device, String name) {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CudaWorker worker = new CudaWorker(device, name, begun);
        worker.thread.start();
        joined(begun);
        return worker;
    }

    /** Runs something on the thread and waits for it: not for a loop. */
    public <T> T call(Supplier<T> task) {
        return joined(CompletableFuture.supplyAsync(task, this));
    }

    private static <T> T joined(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        LockSupport.unpark(thread);
    }

    /** {@return a new stream, which ends with the thread} On the thread. */
    public CudaStream stream() {
        CudaStream stream = new CudaStream(device);
        streams.add(stream);
        polls.add(stream);
        return stream;
    }

    /** Asks something as long as the thread lives. On the thread. */
    public void watch(Poll poll) {
        polls.add(poll);
    }

    /** Runs something at the end, while the context is there. On the thread. */
    void atEnd(Runnable ending) {
        endings.add(ending);
    }

    /** Polls until something is so, which is another task's on the device, or what it throws. On the thread; no task is done meanwhile. */
    public void pollUntil(BooleanSupplier isSo) {
        policy.found();
        while (!isSo.getAsBoolean()) {
            poll();
            pause();
        }
    }

    /** Ends it after all tasks that have come. */
    void end() {
        execute(() -> isEnding = true);
    }

    /** {@return what completes when the thread has nothing of CUDA's any more} */
    CompletableFuture<Void> ended() {
        return ended;
    }

    private void run(CompletableFuture<?> begun) {
        CUcontext context = new CUcontext();
        boolean isRetained = false;
        try {
            CudaResult.check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, device.raw()));
            isRetained = true;
            CudaResult.check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(context));
            // What this thread does concerns no capture of the program's, and does not end one.
            JCudaDriver.cuThreadExchangeStreamCaptureMode(
                    new int[] {CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED});
            begun.complete(null);
        } catch (CudaException e) {
            if (isRetained) {
                JCudaDriver.cuDevicePrimaryCtxRelease(device.raw());
            }
            begun.completeExceptionally(e);
            return;
        }
        work();
        endings.forEach(Runnable::run);
        streams.forEach(CudaStream::close);
        JCudaDriver.cuDevicePrimaryCtxRelease(device.raw());
        ended.complete(null);
    }

    private void work() {
        boolean isBusy = false;
        // Who waits for what is on the device is told before the end.
        while (!isEnding || isBusy) {
            boolean isAny = runTasks();
            isBusy = poll();
            if (isAny) {
                policy.found();
            } else if (isBusy) {
                pause();
            } else if (tasks.isEmpty() && !isEnding) {
                LockSupport.park(this);
            }
        }
    }

    /** Work of a few microseconds on the device is found at once; long work does not keep a core busy. */
    private void pause() {
        switch (policy.next(System.nanoTime())) {
            case SPIN -> Thread.onSpinWait();
            case YIELD -> {
                Thread.yield();
                policy.yielded(System.nanoTime());
            }
            case SLEEP -> LockSupport.parkNanos(this, PARK_NANOS);
        }
    }

    private boolean runTasks() {
        boolean isAny = false;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            isAny = true;
            guarded(task);
        }
        return isAny;
    }

    private boolean poll() {
        long now = System.nanoTime();
        boolean[] isBusy = new boolean[1];
        for (int i = 0; i < polls.size(); i++) {
            Poll poll = polls.get(i);
            guarded(() -> isBusy[0] |= poll.poll(now));
        }
        return isBusy[0];
    }

    /** One that fails ends no other. */
    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error(
                    "a task of a CUDA device has failed: device={}, thread={}",
                    device.index(),
                    thread.getName(),
                    WarningLog.printable(e));
        }
    }
}

package io.reactivecomm.nccl.cuda;

import io.reactivecomm.spi.engine.EnqueuedHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * The handle of a call or of moves, and their place in the order of the tensors that they touch. A stream of CUDA can wait for it.
 *
 * <pre>
 *   ASKED ── handed to the device, with an event behind it ──&gt; ENQUEUED ── its event is reached ──&gt; DONE
 *     └── it will not be ──────────────────────────────────────────────────────────────────────────────^
 * </pre>
 *
 * <p>Order is made in two parts. On the host one begins once all {@linkplain #whenTurn before it} are enqueued; on the device its stream {@linkplain
 * #follow
 * waits} for their events.
 *
 * <p><b>Threads.</b> Any.
 */
public final class CudaHandle extends EnqueuedHandle {

    private final CompletableFuture<Void> enqueued = new CompletableFuture<>();
    private List<CudaHandle> before = List.of();
    private @Nullable CUevent event;
    private @Nullable Consumer<CUevent> giveBack;
    private boolean isDone;
    private volatile @Nullable Throwable launchFault;
    private volatile @Nullable Throwable faultBefore;
    /** Of an event that nothing polls: with its only follower it is given back. */
    private boolean isOnce;

    CudaHandle() {}

    /** {@return the place of what is on a stream already, for the one that follows on its memory} */
    static CudaHandle recorded(CUevent event, Consumer<CUevent> giveBack) {
        CudaHandle handle = new CudaHandle();
        handle.isOnce = true;
        handle.enqueued(event, giveBack);
        return handle;
    }

    /** Puts it behind others; once, before anybody else knows it. */
    void standBehind(List<CudaHandle> others) {
        before = others;
    }

    /** Runs its launch once all that it stands behind is on the device, on a thread of CUDA's. */
    public void whenTurn(Executor thread, Runnable launch) {
        whenTurn(List.of(this), thread, launch);
    }

    /** As the other, for several that are launched together. */
    public static void whenTurn(List<CudaHandle> handles, Executor thread, Runnable launch) {
        CompletableFuture<?>[] awaited = handles.stream()
                .flatMap(each -> each.before.stream())
                .map(each -> each.enqueued)
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(awaited).thenRunAsync(launch, thread);
    }

    /** {@return whether all that it stands behind is on the device} */
    public boolean isTurn() {
        return before.stream().allMatch(CudaHandle::isEnqueued);
    }

    /** Lets a stream wait on the device for all that it stands behind; once, on a thread with the stream's context. */
    public void follow(CudaStream stream) {
        List<CudaHandle> followed = before;
        before = List.of();
        CudaException failed = null;
        for (CudaHandle each : followed) {
            faultBefore = faultBefore == null ? each.launchFault : faultBefore;
            try {
                each.followedBy(stream.raw());
            } catch (CudaException e) {
                failed = e;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** Its launch has failed, at least in part: what it was to write is not. Before it is {@linkplain #isEnqueued enqueued}. */
    void launchFailed(Throwable cause) {
        launchFault = cause;
    }

    /** {@return why something that it has followed has not written what it was to write; null if all was launched} */
    public @Nullable Throwable faultBefore() {
        return faultBefore;
    }

    private synchronized void followedBy(CUstream stream) {
        try {
            waitEvent(stream);
        } finally {
            unfollowed();
        }
    }

    private void waitEvent(CUstream stream) {
        if (event != null) {
            CudaResult.check("cuStreamWaitEvent", JCudaDriver.cuStreamWaitEvent(stream, event, 0));
        }
    }

    /** It is on the device, with an event behind it. */
    void enqueued(CUevent recorded, Consumer<CUevent> whereItGoes) {
        synchronized (this) {
            event = recorded;
            giveBack = whereItGoes;
        }
        enqueued.complete(null);
    }

    /** Its event is reached, or never will be, or nobody follows. */
    synchronized void done() {
        isDone = true;
        if (event != null && giveBack != null) {
            giveBack.accept(event);
        }
        event = null;
    }

    synchronized boolean isDone() {
        return isDone;
    }

    /** It has ended on the device, well. */
    void ended() {
        done();
        succeeded();
    }

    /**
     * The device has failed, and does nothing for anybody. One that is to fail on a device which goes on keeps its place in the order, for what
     * stands behind it has
     * to wait for what stands before it: let it {@linkplain #letGo() go} and {@linkplain #failed(Throwable) fail}, and in its turn launch nothing.
     *
     * @param cause what programs hear
     */
    public void abandoned(Throwable cause) {
        done();
        List<CudaHandle> unfollowed = before;
        before = List.of();
        unfollowed.forEach(CudaHandle::unfollowed);
        enqueued.complete(null);
        letGo();
        failed(cause);
    }

    /** Nobody will follow on that memory. */
    synchronized void unfollowed() {
        if (isOnce) {
            done();
        }
    }

    /** {@return whether it is on the device, or was: a stream can wait for it at once} */
    public boolean isEnqueued() {
        return enqueued.isDone();
    }

    /**
     * Lets a stream wait for it on the device: what is enqueued on the stream from here on sees the result in tensors of devices. What moves write in
     * the
     * host's memory is awaited by {@link #completed()}.
     *
     * <p><b>Threads.</b> Any. One that is not enqueued yet, such as large moves, is waited for, which takes the host's time and not the device's.
     *
     * @throws IllegalStateException if it is not enqueued yet, and the thread must not block
     */
    public void waitOn(CUstream stream) {
        if (!isEnqueued() && Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException("a stream cannot wait for what is not enqueued yet: thread="
                    + Thread.currentThread().getName() + "; publishOn another scheduler before");
        }
        enqueued.join();
        try (CurrentContext context = CurrentContext.of(Streams.context(stream))) {
            synchronized (this) {
                waitEvent(stream);
            }
        }
    }

    /** {@return those that a next one has still to stand behind; one whose launch failed for what it has not written} */
    static List<CudaHandle> pending(List<CudaHandle> handles) {
        List<CudaHandle> pending = new ArrayList<>(handles);
        pending.removeIf(each -> each.isDone() && each.launchFault == null);
        return pending;
    }
}

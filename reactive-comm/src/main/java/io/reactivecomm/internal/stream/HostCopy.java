package io.reactivecomm.internal.stream;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The copy, in the host's memory, of a tensor that a stream sends from a device. Links carry what is the host's, and the receiver's tensors are.
 *
 * <p><b>Threads.</b> The pump makes it and reads it; whoever tells of its end writes it, and wakes the pump.
 */
final class HostCopy {

    final Tensor original;
    private volatile @Nullable Tensor copy;
    private volatile @Nullable Throwable error;
    private volatile boolean ended;

    HostCopy(Tensor original) {
        this.original = original;
    }

    /** {@return whether a tensor has to be copied first} One that is closed has not: the call that is to send it says so to both ends. */
    static boolean isNeeded(Tensor tensor) {
        return !tensor.device().equals(Device.CPU) && !tensor.isClosed();
    }

    /**
     * Enqueues the copy. {@return memory for it, to be filled}
     *
     * @param whenEnded is told once, on any thread
     * @throws CommException if there is no memory for it, or the tensor cannot be moved
     */
    Tensor begin(ProcessGroup group, Runnable whenEnded) {
        Tensor target;
        try {
            target = Tensor.allocate(original.type(), original.shape());
        } catch (OutOfMemoryError e) {
            throw new CommException(
                    "no memory for the copy of a tensor that is sent from a device: tensor=" + original
                            + "; send smaller ones",
                    e);
        }
        boolean isEnqueued = false;
        try {
            group.move(List.of(Move.copy(original, target)))
                    .completed()
                    .subscribe(null, failed -> end(target, failed, whenEnded), () -> end(target, null, whenEnded));
            isEnqueued = true;
        } finally {
            if (!isEnqueued) {
                target.close();
            }
        }
        return target;
    }

    private void end(Tensor target, @Nullable Throwable failed, Runnable whenEnded) {
        copy = target;
        fail(failed, whenEnded);
    }

    /** There will be none. */
    void fail(@Nullable Throwable failed, Runnable whenEnded) {
        error = failed;
        ended = true;
        whenEnded.run();
    }

    boolean hasEnded() {
        return ended;
    }

    /** {@return why there is none, or null} */
    @Nullable Throwable error() {
        return error;
    }

    /** {@return the copy, which is the caller's to close; null if there is none} */
    @Nullable Tensor copy() {
        return copy;
    }
}

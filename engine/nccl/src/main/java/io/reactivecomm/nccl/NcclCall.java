package io.reactivecomm.nccl;

import io.reactivecomm.CommException;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EnqueuedHandle;
import io.reactivecomm.spi.engine.Turn;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call that has its turn: ended once, and let go of when the device's hands are off its tensors.
 *
 * <pre>
 *   WAITING ── begin ──&gt; LAUNCHED ── the device is done ──&gt; OVER
 *      │ fail              │ fail: ended, and let go of when the device is done
 *      └──&gt; DROPPED: ended, and never launched
 * </pre>
 *
 * <p>One that may end when it is enqueued is ended with its launch; a failure after that is its handle's.
 *
 * <p><b>Threads.</b> Any.
 */
final class NcclCall {

    private final Turn.Call turn;
    private final NcclGroup group;
    private final Consumer<NcclCall> over;

    // All guarded by this.
    private @Nullable EnqueuedHandle hands;
    private boolean isEnded;
    private boolean isFailed;

    /** @param over is told when it has its result, or has failed */
    NcclCall(Turn.Call turn, NcclGroup group, Consumer<NcclCall> over) {
        this.turn = turn;
        this.group = group;
        this.over = over;
    }

    Turn.Call turn() {
        return turn;
    }

    Collective collective() {
        return turn.call().collective();
    }

    NcclGroup group() {
        return group;
    }

    /** {@return whether it has failed: it is not to be launched, if it has not been} */
    synchronized boolean isFailed() {
        return isFailed;
    }

    /** Fails it if its group has failed. */
    void failWithGroup() {
        Failure cause = group.failure();
        if (cause != null) {
            fail(cause);
        }
    }

    /** {@return whether it is to be launched; false if it has failed meanwhile} From here on its end is the handle's. */
    boolean begin(EnqueuedHandle handle) {
        synchronized (this) {
            if (isFailed) {
                return false;
            }
            hands = handle;
        }
        handle.completed().subscribe(null, this::deviceFailed, this::succeed);
        return true;
    }

    /** The device is done with it; of one that has been spoilt that says nothing. */
    private void succeed() {
        if (isFailed()) {
            return;
        }
        over.accept(this);
        if (end()) {
            turn.sink().succeeded(Completion.of(CallBatch.ALGORITHM));
        }
    }

    private void deviceFailed(Throwable cause) {
        fail(new Failure(
                Failure.Kind.INTERNAL,
                turn.group().worldRanks().get(turn.group().rank()),
                CommException.textOf(cause)));
    }

    /** It cannot succeed any more, and its failure will be told. {@return whether that is new} */
    synchronized boolean spoil() {
        boolean isFirst = !isFailed;
        isFailed = true;
        return isFirst;
    }

    /** It is on its stream. */
    void launched() {
        EnqueuedHandle handle = hands();
        if (!isFailed() && turn.call().isEnqueued() && handle != null && end()) {
            turn.sink().succeeded(Completion.of(CallBatch.ALGORITHM).withHandle(handle));
        }
    }

    private synchronized @Nullable EnqueuedHandle hands() {
        return hands;
    }

    /** It fails, by itself or with its group, of which nothing can be launched from here on. */
    void fail(Failure cause) {
        EnqueuedHandle handle;
        group.fail(cause);
        synchronized (this) {
            isFailed = true;
            handle = hands;
        }
        over.accept(this);
        boolean isFirst = end();
        if (handle != null) {
            handle.failed(cause.toException());
        }
        if (isFirst) {
            turn.sink().failed(cause, handle == null ? Handle.DONE : handle);
        }
    }

    private synchronized boolean end() {
        boolean isFirst = !isEnded;
        isEnded = true;
        return isFirst;
    }
}

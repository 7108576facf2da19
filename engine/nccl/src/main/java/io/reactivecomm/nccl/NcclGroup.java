package io.reactivecomm.nccl;

import io.reactivecomm.CommException;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.WarningLog;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The communicator of a group on one rank, from its beginning to its end.
 *
 * <pre>
 *   OPEN ── leave ──&gt; finalized and destroyed
 *    └───── abort ──&gt; aborted: what is on the device ends
 * </pre>
 *
 * <p><b>Threads.</b> Any. Nobody uses a communicator that another thread is ending: the launch stream's thread, which issues and asks, holds the {@link #lock}
 * meanwhile, and an abort waits for that, but not longer than a call of NCCL may take that does not block.
 */
final class NcclGroup {

    private static final Logger LOG = WarningLog.of(NcclGroup.class);

    private static final long MOST_HELD_MILLIS = 1_000;
    private static final long LEAVE_NANOS = 2_000_000_000;
    private static final long PAUSE_NANOS = 100_000;

    private final NcclSetup setup;
    private final long comm;
    private final ReentrantLock lock = new ReentrantLock();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
    private volatile boolean isEnding;
    /** The launch stream's. */
    private int parts;

    NcclGroup(NcclSetup setup, long comm) {
        this.setup = setup;
        this.comm = comm;
    }

    long comm() {
        return comm;
    }

    /** {@return the number of the next batch whose roots send the layout of their parts, the same on all ranks} On the launch stream's thread. */
    int nextParts() {
        return parts++;
    }

    /** One of its calls has failed, or it is lost: nothing of it is launched any more, as it would meet what others have launched before. */
    void fail(Failure cause) {
        failure.compareAndSet(null, cause);
    }

    /** {@return why its calls fail; null if they do not} */
    @Nullable Failure failure() {
        return failure.get();
    }

    /**
     * Keeps others from ending it until {@link #unlock}, and never waits: whoever ends it may take long.
     *
     * @return whether it can be used; false if it is ending
     */
    boolean lock() {
        if (!lock.tryLock()) {
            return false;
        }
        if (isEnding) {
            lock.unlock();
            return false;
        }
        return true;
    }

    void unlock() {
        lock.unlock();
    }

    /** {@return whether no call can be made of it any more} */
    boolean isEnding() {
        return isEnding;
    }

    /**
     * {@return whether it has done what it was told, or is ending}
     *
     * @throws NcclException if it has failed
     */
    boolean isSettled() {
        if (!lock()) {
            return true;
        }
        try {
            return setup.asyncError(comm) != NcclResult.IN_PROGRESS;
        } finally {
            unlock();
        }
    }

    boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** Waits until it has ended, which {@link #isEnding} says that it will. */
    void awaitEnd() {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives up what is under way. It may block. Idempotent. */
    void abort() {
        if (isEnded()) {
            return;
        }
        boolean isLocked = false;
        try {
            isLocked = lock.tryLock(MOST_HELD_MILLIS, TimeUnit.MILLISECONDS);
            if (setup.library().has(NcclFunction.COMM_ABORT)) {
                setup.abort(comm);
            }
        } catch (NcclException e) {
            LOG.warn("a communicator cannot be aborted: cause={}", CommException.textOf(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (isLocked) {
                lock.unlock();
            }
            ended.countDown();
        }
    }

    private synchronized boolean isEnded() {
        boolean wasEnding = isEnding;
        isEnding = true;
        return wasEnding;
    }

    /** Frees it when all its members do; what is on the device goes on to its end. It may block, for some seconds at most. Idempotent. */
    void leave() {
        if (isEnded()) {
            return;
        }
        lock.lock();
        try {
            if (isFinalized()) {
                setup.destroy(comm);
            } else {
                setup.abort(comm);
            }
        } catch (NcclException e) {
            LOG.warn("a communicator cannot be freed: cause={}", CommException.textOf(e));
        } finally {
            lock.unlock();
            ended.countDown();
        }
    }

    private boolean isFinalized() {
        if (!setup.library().has(NcclFunction.COMM_FINALIZE)) {
            return true;
        }
        try {
            long begun = System.nanoTime();
            NcclResult state = setup.finalizeComm(comm);
            while (state == NcclResult.IN_PROGRESS && System.nanoTime() - begun < LEAVE_NANOS) {
                LockSupport.parkNanos(PAUSE_NANOS);
                state = setup.asyncError(comm);
            }
            return state == NcclResult.SUCCESS;
        } catch (NcclException e) {
            LOG.debug("a communicator has failed before its end: cause={}", CommException.textOf(e));
            return false;
        }
    }
}

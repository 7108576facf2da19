package io.reactivecomm.timeline;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that writes a timeline: there from the first record until nothing more is expected, and again if something comes after all. At the JVM's
 * end what is left is written by a shutdown hook.
 *
 * <p><b>Threads.</b> Any.
 */
final class WriterThread {

    /** So much of a rank that is killed is lost at most. */
    static final Duration INTERVAL = Duration.ofMillis(100);

    private static final Logger LOG = LoggerFactory.getLogger(Timeline.class);

    private final Runnable write;
    private final BooleanSupplier isOver;
    private final BooleanSupplier hasMore;
    private @Nullable Thread hook;
    private volatile @Nullable Thread thread;

    /**
     * One that is not there yet.
     *
     * @param write writes what there is
     * @param isOver says whether nothing more is expected
     * @param hasMore says whether something has come after all
     */
    WriterThread(Runnable write, BooleanSupplier isOver, BooleanSupplier hasMore) {
        this.write = write;
        this.isOver = isOver;
        this.hasMore = hasMore;
    }

    /** There is something to write, some time soon. */
    void expect() {
        if (thread == null) {
            start();
        }
    }

    /** There is much to write. */
    void hurry() {
        LockSupport.unpark(thread);
    }

    private synchronized void start() {
        if (thread == null) {
            Thread started = Thread.ofPlatform().daemon().name("rcomm-timeline").unstarted(this::run);
            thread = started;
            hook = Thread.ofPlatform().name("rcomm-timeline-end").unstarted(write);
            try {
                Runtime.getRuntime().addShutdownHook(hook);
            } catch (IllegalStateException e) {
                LOG.trace("the JVM is ending", e);
            }
            started.start();
        }
    }

    private void run() {
        while (thread == Thread.currentThread()) {
            LockSupport.parkNanos(this, INTERVAL.toNanos());
            write.run();
            if (isOver.getAsBoolean()) {
                forget();
                if (hasMore.getAsBoolean()) {
                    expect();
                }
                return;
            }
        }
    }

    private synchronized void forget() {
        Thread last = hook;
        hook = null;
        thread = null;
        try {
            if (last != null) {
                Runtime.getRuntime().removeShutdownHook(last);
            }
        } catch (IllegalStateException e) {
            LOG.trace("the JVM is ending", e);
        }
    }

    /** Ends the thread, and waits until it has ended unless it is the caller. */
    void stop() {
        Thread running = thread;
        forget();
        LockSupport.unpark(running);
        boolean isInterrupted = false;
        while (running != null && running != Thread.currentThread() && running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

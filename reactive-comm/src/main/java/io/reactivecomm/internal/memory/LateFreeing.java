package io.reactivecomm.internal.memory;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.OwnThreads;
import io.reactivecomm.internal.base.Warnings;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Memory that another thread is about to give back. Who finds none left asks first whether some is on its way.
 *
 * <p><b>Threads.</b> Any. The other thread is one for the whole JVM, which ends when there is nothing to do.
 */
public final class LateFreeing {

    /** A fifth of a second of work. Who frees faster than that is slowed down, before it takes what the machine has. */
    private static final long MOST_BYTES = 2L << 30;

    static final LateFreeing PROCESS = new LateFreeing(OwnThreads.one("rcomm-freeing"), MOST_BYTES);

    private static final Logger LOG = Warnings.of(LateFreeing.class);

    private record Pending(Object kind, FutureTask<?> task) {}

    private final ConcurrentLinkedQueue<Pending> all = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final Executor thread;
    private final long mostBytes;

    /**
     * @param thread where memory is given back
     * @param mostBytes what may be on its way when more is added; beyond it, memory is given back at once
     */
    LateFreeing(Executor thread, long mostBytes) {
        this.thread = thread;
        this.mostBytes = mostBytes;
    }

    /**
     * Gives memory back on another thread; on this one if too much is on its way, or there is no other. What fails is logged.
     *
     * @param kind where it goes back to
     */
    void later(Object kind, long byteSize, Runnable free) {
        boolean isTooMuch = bytes.getAndAdd(byteSize) > mostBytes;
        Pending pending = new Pending(kind, new FutureTask<>(() -> free(free, byteSize), null));
        if (isTooMuch) {
            pending.task.run();
            return;
        }
        all.add(pending);
        try {
            thread.execute(() -> run(pending));
        } catch (OutOfMemoryError e) {
            // The system has no thread now: late is better than never.
            run(pending);
        }
    }

    private void run(Pending pending) {
        pending.task.run();
        all.remove(pending);
    }

    private void free(Runnable free, long byteSize) {
        try {
            free.run();
        } catch (Exception | Error e) {
            LOG.warn("memory could not be given back: bytes={}", byteSize, ErrorTexts.printable(e));
        } finally {
            bytes.addAndGet(-byteSize);
        }
    }

    /**
     * Waits until memory of that kind that was on its way back has arrived, on this thread if nobody had begun. Who has found none asks again in any
     * case: it may have arrived in between.
     */
    void await(Object kind) {
        for (Pending pending : all) {
            if (pending.kind == kind) {
                run(pending);
                await(pending.task);
            }
        }
    }

    private static void await(FutureTask<?> task) {
        try {
            task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("memory could not be given back", e);
        }
    }
}

package io.reactivecomm.mpi;

import io.reactivecomm.spi.WaitPolicy;
import io.reactivecomm.spi.WarningLog;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The thread on which MPI's blocking functions are called, one after the other, in the order of the turns: it may be held as long as they take. While it has
 * nothing to do for longer than its pause between two calls it uses no core.
 *
 * <p>If a group fails while one of its calls holds the thread, as when another rank is gone, that thread is written off: it may never come back, or years later.
 * Another one goes on with what is behind it.
 *
 * <p><b>Threads.</b> Any.
 */
final class Worker {

    private static final Logger LOG = WarningLog.of(Worker.class);

    /** About as long as a call takes from the end of the last one to this thread. */
    private static final long EAGER_NANOS = 100_000;

    private final String name;
    private final LinkedBlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
    private final WaitPolicy policy = new WaitPolicy(true, EAGER_NANOS);
    private volatile @Nullable Task current;
    /** The thread that works now; guarded by this. */
    private Thread thread;

    /** A piece of work. */
    interface Task {

        void run();

        /** {@return whether nobody waits for it any more, though MPI has it} */
        default boolean isGivenUp() {
            return false;
        }

        /** {@return whether MPI may have work to do for it now} */
        default boolean isInMpi() {
            return true;
        }
    }

    Worker(String name) {
        this.name = name;
        // The new thread asks whether it is this one.
        synchronized (this) {
            this.thread = begin();
        }
    }

    private Thread begin() {
        return Thread.ofPlatform().daemon().name(name).start(this::work);
    }

    void add(Task task) {
        tasks.add(task);
    }

    /** {@return whether MPI may have work to do for what it is at} */
    boolean isBusy() {
        Task now = current;
        return now != null && now.isInMpi();
    }

    private void work() {
        BooleanSupplier isOurs = () -> Thread.currentThread() == thread();
        while (isOurs.getAsBoolean()) {
            try {
                run(next(), isOurs);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Calls often follow one another at once: a thread that sleeps meanwhile has to be woken for each. */
    private Task next() throws InterruptedException {
        Task task = tasks.poll();
        while (task == null && policy.next(System.nanoTime()) == WaitPolicy.Step.YIELD) {
            Thread.yield();
            policy.yielded(System.nanoTime());
            task = tasks.poll();
        }
        policy.found();
        return task != null ? task : tasks.take();
    }

    private void run(Task task, BooleanSupplier isOurs) {
        current = task;
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("a task of MPI's thread failed: thread={}", name, WarningLog.printable(e));
        }
        synchronized (this) {
            if (isOurs.getAsBoolean()) {
                current = null;
            }
        }
    }

    private synchronized Thread thread() {
        return thread;
    }

    /** {@return whether what it is at has been given up: then another thread goes on, and MPI may not be ended any more} */
    synchronized boolean writeOff() {
        Task now = current;
        if (now == null || !now.isGivenUp()) {
            return false;
        }
        LOG.warn(
                "MPI holds a thread in a call of a group that has failed, and may hold it until the process ends: thread={}",
                name);
        current = null;
        thread = begin();
        return true;
    }

    /** Ends once nothing is left to do. */
    void close() {
        add(() -> Thread.currentThread().interrupt());
    }
}

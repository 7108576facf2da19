package io.reactivecomm.sequence;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs tasks one at a time, in the order in which they were given, on the thread of whoever gives one while none runs.
 *
 * <p>Those that were given meanwhile are one round: after its last task, what is to follow every round is run once. So what came together is
 * dealt with together.
 *
 * <p><b>Threads.</b> Any number give tasks, tasks among them.
 */
final class Tasks implements Executor {

    private final Queue<Runnable> given = new ConcurrentLinkedQueue<>();
    private final AtomicInteger due = new AtomicInteger();
    private final Runnable afterwards;
    private final Consumer<Throwable> faults;

    /**
     * @param afterwards runs at the end of each round
     * @param faults takes what a task threw; the others are run all the same
     */
    Tasks(Runnable afterwards, Consumer<Throwable> faults) {
        this.afterwards = afterwards;
        this.faults = faults;
    }

    @Override
    public void execute(Runnable task) {
        given.add(task);
        if (due.getAndIncrement() == 0) {
            int seen = 1;
            while (seen != 0) {
                for (Runnable next = given.poll(); next != null; next = given.poll()) {
                    guarded(next);
                }
                guarded(afterwards);
                seen = due.addAndGet(-seen);
            }
        }
    }

    /** A fault of the library's own, or of memory, must not leave anybody waiting. */
    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            faults.accept(e);
        }
    }
}

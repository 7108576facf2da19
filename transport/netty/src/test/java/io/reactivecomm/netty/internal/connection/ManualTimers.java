package io.reactivecomm.netty.internal.connection;

import io.netty.util.concurrent.EventExecutor;
import io.reactivecomm.spi.Loop;
import java.util.Comparator;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A clock that stands still until the test moves it; tasks run on their own threads, one after the other, in the order of their times. */
public class ManualTimers implements Timers {

    private record Task(long at, long order, EventExecutor on, Runnable work) {}

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
    private final Set<Thread> readers = new HashSet<>();
    private long now;
    private long order;
    private Thread inTask;

    @Override
    public synchronized long nanoTime() {
        if (Thread.currentThread() != inTask) {
            readers.add(Thread.currentThread());
            notifyAll();
        }
        return now;
    }

    /**
     * Waits until so many threads of that kind have read the clock by their own since it was last moved, that is, for something that came
     * to them from outside and not for a timer.
     */
    public synchronized void awaitReaders(String name, int count) throws InterruptedException {
        await(() -> readers.stream()
                        .filter(thread -> thread.getName().startsWith(name))
                        .count()
                >= count);
    }

    private void await(BooleanSupplier there) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE_NANOS;
        while (!there.getAsBoolean()) {
            long millis = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
            if (millis <= 0) {
                throw new AssertionError("nothing came: readers of the clock=" + readers + ", tasks=" + tasks);
            }
            wait(millis);
        }
    }

    @Override
    public synchronized Loop.Timer schedule(EventExecutor on, Runnable work, long delayNanos) {
        Task task = new Task(now + delayNanos, order++, on, work);
        tasks.add(task);
        notifyAll();
        return () -> remove(task);
    }

    /** Waits, while the clock stands still, until something is to happen on that thread. */
    public synchronized void awaitTaskOn(EventExecutor on) throws InterruptedException {
        await(() -> tasks.stream().anyMatch(task -> task.on == on));
    }

    private synchronized void remove(Task task) {
        tasks.remove(task);
    }

    private synchronized Task due(long until) {
        Task next = tasks.peek();
        if (next == null || next.at > until) {
            now = until;
            return null;
        }
        now = Math.max(now, next.at);
        return tasks.remove();
    }

    private synchronized long beginMove() {
        readers.clear();
        return now;
    }

    private synchronized void inTask(Thread thread) {
        inTask = thread;
    }

    /** Moves the clock and waits for every task that becomes due. */
    public void advance(long nanos) {
        long until = beginMove() + nanos;
        for (Task task = due(until); task != null; task = due(until)) {
            if (!task.on.isShuttingDown()) {
                assertDone(task);
            }
        }
    }

    private void assertDone(Task task) {
        try {
            task.on
                    .submit(() -> {
                        inTask(Thread.currentThread());
                        try {
                            task.work.run();
                        } finally {
                            inTask(null);
                        }
                    })
                    .get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("a timer's task failed", e);
        }
    }
}

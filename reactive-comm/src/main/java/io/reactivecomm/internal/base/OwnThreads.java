package io.reactivecomm.internal.base;

import java.time.Duration;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.NonBlocking;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Threads of the library's own, for work that loops must not do; a program may block Reactor's.
 *
 * <p>They keep no JVM alive, and end after an idle second. They keep no class loader either: Reactor's threads stay for a minute or longer,
 * with the context class loader of the program that used them first. While a task of {@link #blocking} runs, its thread has the context class
 * loader of the thread that submitted it; other tasks have none.
 */
public final class OwnThreads {

    private static final long IDLE_SECONDS = 1;

    /** Longer than any job runs, and far from the overflow of a clock in nanoseconds, after 292 years. */
    private static final Duration LONGEST = Duration.ofDays(10_000);

    private static final Scheduler SHARED = blocking("rcomm-work");

    private static final Scheduler DEADLINES = timer("rcomm-deadlines");

    private OwnThreads() {}

    /** {@return threads for tasks that may block} */
    public static Scheduler shared() {
        return SHARED;
    }

    /** {@return the thread on which deadlines expire; tasks there must not block} */
    public static Scheduler deadlines() {
        return DEADLINES;
    }

    /** {@return a deadline, cut to what timers and clocks in nanoseconds can count} */
    public static Duration countable(Duration deadline) {
        return deadline.compareTo(LONGEST) < 0 ? deadline : LONGEST;
    }

    /** {@return a thread of that name, on which tasks follow each other} */
    public static ThreadPoolExecutor one(String name) {
        return some(name, 1);
    }

    /** {@return at most so many threads of that name; an idle thread takes a task before another one is started} */
    public static ThreadPoolExecutor some(String name, int most) {
        return new Pool(name, most, new Handover());
    }

    /** {@return threads of that name that may block, at most as many as Reactor has of such} */
    public static Scheduler blocking(String name) {
        // A worker's tasks keep their order, which a scheduler over an executor service does not promise.
        ThreadPoolExecutor threads = some(name, Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE);
        return Schedulers.fromExecutor(
                task -> threads.execute(
                        new GivenTask(task, Thread.currentThread().getContextClassLoader())),
                true);
    }

    /** {@return a thread of that name for delayed tasks, which must not block} */
    public static Scheduler timer(String name) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, threads(name, TimerThread::new));
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
        return Schedulers.fromExecutorService(timer, name);
    }

    private static Thread plain(Runnable task, String name) {
        return new Thread(null, task, name, 0, false);
    }

    private static ThreadFactory threads(String name, BiFunction<Runnable, String, Thread> making) {
        return task -> {
            Thread made = making.apply(task, name);
            made.setDaemon(true);
            made.setContextClassLoader(null);
            return made;
        };
    }

    /** A pool that prefers idle threads to new ones, and new ones to its queue. One of the JDK with a limit starts threads while others are idle. */
    private static final class Pool extends ThreadPoolExecutor {

        private final Handover tasks;

        private Pool(String name, int most, Handover tasks) {
            super(0, most, IDLE_SECONDS, TimeUnit.SECONDS, tasks, threads(name, OwnThreads::plain));
            this.tasks = tasks;
            setRejectedExecutionHandler((task, pool) -> keep(task));
        }

        /** Queues a task while all threads are busy. */
        private void keep(Runnable task) {
            tasks.keep(task);
            // The last thread may have ended meanwhile without seeing the task.
            Runnable next = getPoolSize() == 0 ? tasks.poll() : null;
            if (next != null) {
                execute(next);
            }
        }
    }

    /** A queue that accepts offers only for idle threads. */
    private static final class Handover extends LinkedTransferQueue<Runnable> {

        @Override
        public boolean offer(Runnable task) {
            return tryTransfer(task);
        }

        private void keep(Runnable task) {
            super.offer(task);
        }
    }

    /** A thread on which {@code block()} fails at once. */
    private static final class TimerThread extends Thread implements NonBlocking {

        private TimerThread(Runnable task, String name) {
            super(null, task, name, 0, false);
        }
    }

    /** A task with the context class loader of the thread that submitted it. */
    private record GivenTask(Runnable task, @Nullable ClassLoader classes) implements Runnable {

        @Override
        public void run() {
            Thread thread = Thread.currentThread();
            thread.setContextClassLoader(classes);
            try {
                task.run();
            } finally {
                thread.setContextClassLoader(null);
            }
        }
    }
}

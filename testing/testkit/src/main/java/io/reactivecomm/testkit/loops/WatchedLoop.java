package io.reactivecomm.testkit.loops;

import io.reactivecomm.spi.Loop;
import io.reactivecomm.testkit.ObjectGraph;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.NonBlocking;

/**
 * A loop's thread under watch. A task that does nothing is given to the loop again and again. The CPU time that the thread uses from then
 * until it runs is what one task before it uses, and those that were in the queue with it. A thread that others keep from the CPU uses
 * none.
 *
 * <p><b>Threads.</b> The sampler's, but for the task.
 */
final class WatchedLoop {

    /** Where a stretch spends its time is looked up each time that it has used so much. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Thread thread;
    private final Executor tasks;
    private final List<StackTraceElement[]> stacks = new ArrayList<>();
    private long from;
    private long looked;
    private boolean answered;
    /** The thread's CPU time when the task ran, or -1 while it waits. */
    private volatile long until;

    private WatchedLoop(Thread thread, Executor tasks) {
        this.thread = thread;
        this.tasks = tasks;
        ask();
        // Nothing that the thread has done so far was seen.
        from = 0;
    }

    /** {@return a watch over a thread, if it is a loop's and has got so far that it takes tasks} */
    static Optional<WatchedLoop> over(Thread thread) {
        return isLoop(thread) ? tasksOf(thread).map(tasks -> new WatchedLoop(thread, tasks)) : Optional.empty();
    }

    /** {@return whether it is a thread of the library that must not block} */
    static boolean isLoop(Thread thread) {
        return thread instanceof NonBlocking && thread.getClass().getName().startsWith("io.reactivecomm.");
    }

    Thread thread() {
        return thread;
    }

    /** {@return what the thread has done since it was asked, if it has answered; it is asked anew} */
    Optional<BusyPeriod> look() {
        long at = until;
        if (at < 0 && thread.isAlive()) {
            lookAtStack();
            return Optional.empty();
        }
        answered = true;
        BusyPeriod stretch = new BusyPeriod(thread.getName(), at - from, List.copyOf(stacks));
        stacks.clear();
        ask();
        return Optional.of(stretch);
    }

    /** {@return whether it has come to its next task since that was last forgotten} */
    boolean hasAnswered() {
        return answered;
    }

    void forgetAnswer() {
        answered = false;
    }

    private void lookAtStack() {
        long used = THREADS.getThreadCpuTime(thread.threadId());
        if (used - looked >= LOOK_NANOS) {
            looked = used;
            stacks.add(thread.getStackTrace());
        }
    }

    private void ask() {
        from = THREADS.getThreadCpuTime(thread.threadId());
        looked = from;
        until = -1;
        try {
            tasks.execute(() -> until = THREADS.getCurrentThreadCpuTime());
        } catch (RejectedExecutionException e) {
            // It ends, and is watched by its stack to the last.
            until = from;
        }
    }

    /** Looked for among the objects that the thread holds. */
    private static Optional<Executor> tasksOf(Thread thread) {
        return new ObjectGraph(WatchedLoop::leads)
                .nearest(thread, each -> each instanceof Loop || each instanceof ScheduledExecutorService)
                .map(Executor.class::cast);
    }

    /** A thread's own fields are the JDK's, which {@link LoadJvm#OPENS} opens; of others of the JDK only tasks are of interest. */
    private static boolean leads(Field field) {
        String of = field.getDeclaringClass().getName();
        return !of.startsWith("java.")
                || field.getName().equals("holder")
                || field.getName().equals("task");
    }
}

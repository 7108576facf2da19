package io.reactivecomm.testkit.loops;

import io.reactivecomm.spi.Loop;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
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

    /** No program can reach them, which is as it should be; so they are looked for among the objects that the thread holds. */
    private static Optional<Executor> tasksOf(Thread thread) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Queue<Object> open = new ArrayDeque<>();
        open.add(thread);
        while (!open.isEmpty()) {
            Object next = open.remove();
            if (next instanceof Loop || next instanceof ScheduledExecutorService) {
                return Optional.of((Executor) next);
            }
            if (seen.add(next)) {
                addFields(next, open);
            }
        }
        return Optional.empty();
    }

    private static void addFields(Object object, Queue<Object> open) {
        for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && leads(field)) {
                    add(object, field, open);
                }
            }
        }
    }

    /** A thread's own fields are the JDK's; of others of the JDK only tasks are of interest. */
    private static boolean leads(Field field) {
        String of = field.getDeclaringClass().getName();
        return !field.getType().isPrimitive() && (!of.startsWith("java.") || field.getName().equals("holder") || field.getName().equals("task"));
    }

    private static void add(Object object, Field field, Queue<Object> open) {
        try {
            field.setAccessible(true);
            Object value = field.get(object);
            if (value != null) {
                open.add(value);
            }
        } catch (IllegalAccessException | InaccessibleObjectException e) {
            throw new IllegalStateException("cannot read: field=" + field + "; start the JVM with " + LoadJvm.OPENS, e);
        }
    }
}

package io.reactivecomm.internal.local;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.WaitPolicy;
import io.reactivecomm.spi.WarningLog;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.scheduler.NonBlocking;
import reactor.core.scheduler.Schedulers;
import reactor.util.concurrent.Queues;

/**
 * The library's own loop: one thread, a queue of tasks from any thread, and timers.
 *
 * <p>It waits for tasks as {@link WaitPolicy} says. Going to sleep is announced in {@link #asleep} before the last look at the queue, and a thread that adds a task
 * reads that flag after adding. So no task is left lying.
 *
 * <p><b>Errors.</b> Nothing that is thrown on the thread ends it before {@link #end}. An error of a task, or of the loop outside of any task,
 * ends the worlds on the loop ({@link FatalErrors}). The loop then runs on, because those ends are delivered on it.
 */
final class LocalLoop implements Loop {

    /** Tasks between two looks at the timers: tasks that beget tasks must not keep a deadline from striking. */
    private static final int MOST_TASKS = 64;

    /** Longer than any task that is worth waiting for; a loop that is stuck is left behind, on its daemon thread. */
    private static final long END_MILLIS = 2_000;

    /** The pause of a loop that fails whenever it is idle, so that it does not use a whole core until its world is closed. */
    private static final long REST_NANOS = 1_000_000;

    private static final Logger LOG = WarningLog.of(LocalLoop.class);

    private final Queue<Runnable> tasks =
            Queues.<Runnable>unboundedMultiproducer().get();
    private final TreeSet<LocalTimer> timers = new TreeSet<>();
    private final AtomicLong timerNumbers = new AtomicLong();
    private final FatalErrors fatalErrors = new FatalErrors();
    private final Parking parking;
    private final LoopThread thread;
    private final WaitPolicy policy = new WaitPolicy(false, WaitPolicy.AWAKE_NANOS);
    private int tasksSinceTimers;
    private boolean hasFailed;
    private volatile boolean asleep;
    private volatile boolean ending;

    /** The way in which the thread sleeps until another one unparks it, or for so many nanoseconds. */
    interface Parking {

        void park(Object blocker, long nanos);
    }

    LocalLoop(String name) {
        this(name, LockSupport::parkNanos);
    }

    LocalLoop(String name, Parking parking) {
        this.parking = parking;
        thread = new LoopThread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** A thread on which {@code block()} fails at once. */
    static final class LoopThread extends Thread implements NonBlocking {

        private LoopThread(Runnable target, String name) {
            super(target, name);
        }
    }

    @Override
    public boolean inLoop() {
        return Thread.currentThread() == thread;
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Thread thread() {
        return thread;
    }

    @Override
    public FatalErrors fatalErrors() {
        return fatalErrors;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
        LocalTimer timer = new LocalTimer(task, nanoTime() + delayNanos, timerNumbers.getAndIncrement());
        if (inLoop()) {
            timers.add(timer);
        } else {
            execute(timer::begin);
        }
        return timer;
    }

    /** {@return how many timers it keeps; called on it} */
    int timerCount() {
        return timers.size();
    }

    /** Ends the thread once the tasks given before have run, and waits for that unless called on a thread that must not block. */
    void end() {
        ending = true;
        LockSupport.unpark(thread);
        if (!Schedulers.isInNonBlockingThread()) {
            try {
                thread.join(END_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run() {
        while (!isServedToTheEnd()) {
            rest();
        }
    }

    /** {@return true after {@link #end}, false if the loop failed outside of a task} */
    private boolean isServedToTheEnd() {
        try {
            serve();
            return true;
        } catch (Throwable e) {
            failedItself(e);
            return false;
        }
    }

    private void failedItself(Throwable error) {
        asleep = false;
        boolean isFirst = !hasFailed;
        hasFailed = true;
        try {
            failed(error);
            if (isFirst) {
                LOG.error(
                        "the loop failed and its world ends; the loop runs on until that is closed: thread={}",
                        thread.getName(),
                        ErrorTexts.printable(error));
            }
        } catch (Exception | Error worse) {
            // For example there is no memory to log. The ranks have been notified; the next failure is logged.
            hasFailed = !isFirst;
        }
    }

    private void serve() {
        while (true) {
            Runnable task = next();
            if (task != null) {
                policy.found();
                runGuarded(task);
            } else if (ending) {
                return;
            } else {
                pause();
            }
        }
    }

    private void pause() {
        switch (policy.next(nanoTime())) {
            case SPIN -> Thread.onSpinWait();
            case YIELD -> {
                Thread.yield();
                policy.yielded(nanoTime());
            }
            case SLEEP -> {
                sleep();
                policy.found();
            }
        }
    }

    /** If parking fails here, too, the loop does not rest. */
    private void rest() {
        try {
            LockSupport.parkNanos(this, REST_NANOS);
        } catch (Exception | Error e) {
            LOG.trace("the loop cannot rest", e);
        }
    }

    private @Nullable Runnable next() {
        Runnable task = tasksSinceTimers < MOST_TASKS ? tasks.poll() : null;
        if (task != null) {
            tasksSinceTimers++;
            return task;
        }
        tasksSinceTimers = 0;
        LocalTimer timer = timers.isEmpty() ? null : timers.first();
        return timer != null && timer.at - nanoTime() <= 0 ? timers.pollFirst() : tasks.poll();
    }

    private void sleep() {
        // An interrupt is for a task. One that stayed would end each sleep at once.
        Thread.interrupted();
        asleep = true;
        if (tasks.isEmpty() && !ending) {
            parking.park(this, timers.isEmpty() ? Long.MAX_VALUE : Math.max(1, timers.first().at - nanoTime()));
        }
        asleep = false;
    }

    /** Catches everything, because the loop serves other ranks, which must be notified. Kotlin code throws checked exceptions undeclared. */
    private void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            // Notification first: there may be no memory to log.
            failed(e);
            LOG.error("a task of the loop failed; the loop runs on", ErrorTexts.printable(e));
        }
    }

    /** The worlds on this loop end. Each rank does what it can, and nothing that it throws ends the others' loop. */
    private void failed(Throwable error) {
        try {
            fatalErrors.tell(error, FatalErrors.NO_RANK);
        } catch (Exception | Error worse) {
            LOG.error("a rank failed again while its world was ended", ErrorTexts.printable(worse));
        }
    }

    /** A task to come; equal times run in the order of scheduling. */
    private final class LocalTimer implements Timer, Runnable, Comparable<LocalTimer> {

        private final long at;
        private final long number;
        private volatile @Nullable Runnable task;

        private LocalTimer(Runnable task, long at, long number) {
            this.task = task;
            this.at = at;
            this.number = number;
        }

        /** On the loop. */
        private void begin() {
            if (task != null) {
                timers.add(this);
            }
        }

        @Override
        public void run() {
            Runnable due = task;
            if (due != null) {
                due.run();
            }
        }

        @Override
        public void cancel() {
            // What the task refers to is let go at once.
            task = null;
            if (inLoop()) {
                timers.remove(this);
            } else {
                execute(() -> timers.remove(this));
            }
        }

        @Override
        public int compareTo(LocalTimer other) {
            int byTime = Long.compare(at - other.at, 0);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }
}

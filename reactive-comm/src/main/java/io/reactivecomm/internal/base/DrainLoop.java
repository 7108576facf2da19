package io.reactivecomm.internal.base;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A drain loop: rounds of tasks with an action after each, which run one at a time on the thread of whoever asks while none runs.
 *
 * <p>A round runs the tasks that were given, in their order, and then the action. Whoever asks meanwhile has another round run by who is at
 * it, tasks and the action among them. So what came together is dealt with together, what only tasks and the action touch needs no lock,
 * and what was written before asking is seen.
 *
 * <p><b>Errors.</b> What a task or the action throws takes no round from those who have asked.
 *
 * <p><b>Threads.</b> Any number ask.
 */
public final class DrainLoop implements Executor {

    private final Queue<Runnable> given = new ConcurrentLinkedQueue<>();
    private final Runnable action;
    private final Consumer<Throwable> faults;
    /** How often a round is due; 1 while held. */
    private final AtomicInteger due;
    /** To be thrown on. Touched by rounds only. */
    private @Nullable Throwable thrown;

    private DrainLoop(Runnable action, Consumer<Throwable> faults, int due) {
        this.action = action;
        this.faults = faults;
        this.due = new AtomicInteger(due);
    }

    /**
     * {@return a loop that begins held: {@link #release()} is its first round}
     *
     * @param action runs at the end of each round, and again at once if it throws, so it has got on by then. The first that was thrown is
     *     thrown
     *     on after the last round
     */
    public static DrainLoop held(Runnable action) {
        return new DrainLoop(action, Thrown::on, 1);
    }

    /**
     * {@return a loop of tasks, each run once}
     *
     * @param afterwards runs at the end of each round
     * @param faults takes what a task or {@code afterwards} threw; the others are run all the same. The first that it throws is thrown on after the last
     *     round
     */
    public static DrainLoop ofTasks(Runnable afterwards, Consumer<Throwable> faults) {
        return new DrainLoop(afterwards, faults, 0);
    }

    /** Lets rounds run from now on, and runs one. */
    public void release() {
        runDue(null);
    }

    /** Asks for a round. {@return whether the caller has run all that were due} */
    public boolean run() {
        if (due.getAndIncrement() != 0) {
            return false;
        }
        runDue(null);
        return true;
    }

    /** Has the next round run the task, and asks for none. */
    public void add(Runnable task) {
        given.add(task);
    }

    /** Asks for a round that runs the task. If none runs, the task needs no place in the queue. */
    @Override
    public void execute(Runnable task) {
        if (due.compareAndSet(0, 1)) {
            runDue(task);
        } else {
            given.add(task);
            run();
        }
    }

    /** @param last runs in the first round, behind the tasks that were given; or null */
    private void runDue(@Nullable Runnable last) {
        Throwable first = null;
        Runnable next = last;
        int seen = 1;
        while (seen != 0) {
            round(next);
            next = null;
            first = first == null ? thrown : first;
            if (thrown == null) {
                seen = due.addAndGet(-seen);
            }
            thrown = null;
        }
        Thrown.on(first);
    }

    private void round(@Nullable Runnable last) {
        runGiven();
        if (last != null) {
            guarded(last);
            runGiven();
        }
        guarded(action);
    }

    private void runGiven() {
        for (Runnable next = given.poll(); next != null; next = given.poll()) {
            guarded(next);
        }
    }

    /** Runs a part of a round: what it throws takes nothing from the others. A fault of the library's own, or of memory, must not leave anybody waiting. */
    public void guarded(Runnable part) {
        try {
            part.run();
        } catch (Exception | Error e) {
            try {
                faults.accept(e);
            } catch (Exception | Error other) {
                throwLater(other);
            }
        }
    }

    /** Has a round, of which the caller is a part, throw this on after the last one. */
    public void throwLater(Throwable error) {
        thrown = thrown == null ? error : thrown;
    }
}

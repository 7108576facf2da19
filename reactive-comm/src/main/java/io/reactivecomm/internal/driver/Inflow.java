package io.reactivecomm.internal.driver;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue in which threads meet the loop: what they bring waits here until the loop's next turn takes all of it.
 *
 * <p>A turn is asked for once, however many bring something. At its end it clears {@link #due} before it looks at the queue for the last time: so
 * whoever adds later either is seen then or asks for another. At the end {@link #isOver} is set before the queue is looked at for the last time, and
 * whoever adds looks at it after adding: so nothing is left lying.
 *
 * <p><b>Threads.</b> {@link #add}, {@link #addPatiently}, {@link #ask} and {@link #end} from any; the rest on the loop. {@code InflowStress} lists the outcomes.
 */
final class Inflow<T> {

    /** Taken from by the loop and, after the end, by whoever comes late: so not a queue for one consumer. */
    private final Queue<T> waiting = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean due = new AtomicBoolean();
    private final Executor loop;
    private final Runnable turn;
    private final Consumer<T> refusal;
    private volatile boolean isOver;

    /**
     * @param turn takes what is here, and ends with {@link #taken}
     * @param refusal takes what comes after the end
     */
    Inflow(Executor loop, Runnable turn, Consumer<T> refusal) {
        this.loop = loop;
        this.turn = turn;
        this.refusal = refusal;
    }

    void add(T next) {
        waiting.add(next);
        ask();
        if (isOver) {
            refuseAll();
        }
    }

    /** Adds what has time until there is a turn for something else: nobody is woken for it. */
    void addPatiently(T next) {
        waiting.add(next);
        if (isOver) {
            refuseAll();
        }
    }

    /** Has the loop take a turn, once, however often it is asked to. */
    void ask() {
        if (due.compareAndSet(false, true)) {
            boolean isGiven = false;
            try {
                loop.execute(turn);
                isGiven = true;
            } finally {
                // Without memory for the task there is no turn; the next who adds asks again.
                if (!isGiven) {
                    due.set(false);
                }
            }
        }
    }

    /**
     * A turn ends: who adds from here on may ask for another.
     *
     * @param more whether there is to be another in any case
     */
    void taken(boolean more) {
        due.set(false);
        if (more || !waiting.isEmpty()) {
            ask();
        }
    }

    @Nullable T poll() {
        return waiting.poll();
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** {@return what waits at this moment; any thread may ask} */
    List<T> waiting() {
        return List.copyOf(waiting);
    }

    /** There is no further turn: what is here and what still comes is refused. */
    void end() {
        isOver = true;
        refuseAll();
    }

    private void refuseAll() {
        for (T next = waiting.poll(); next != null; next = waiting.poll()) {
            refusal.accept(next);
        }
    }
}

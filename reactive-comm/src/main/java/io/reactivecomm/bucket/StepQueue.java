package io.reactivecomm.bucket;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Lets one step at a time make calls, in the order in which they were subscribed to. Two at once could each have one of the two buffers,
 * another one on each rank, and wait for each other.
 *
 * <p><b>Threads.</b> Any.
 */
final class StepQueue {

    private final Executor executor;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean taken;

    /** @param executor where those begin that had to wait */
    StepQueue(Executor executor) {
        this.executor = executor;
    }

    /** Begins at once, on the caller's thread, or once all are over that came before. */
    void take(Runnable begin) {
        if (!waits(begin)) {
            begin.run();
        }
    }

    private synchronized boolean waits(Runnable begin) {
        boolean waits = taken;
        if (waits) {
            waiting.add(begin);
        }
        taken = true;
        return waits;
    }

    /** The one that has the turn is over. */
    void over() {
        Runnable next = next();
        if (next != null) {
            executor.execute(next);
        }
    }

    private synchronized @Nullable Runnable next() {
        taken = !waiting.isEmpty();
        return waiting.poll();
    }
}

package io.reactivecomm.bucket;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * Lets one step at a time make calls, in the order in which they were subscribed to: two at once could each have one of the two buffers,
 * another one on each rank, and wait for each other.
 *
 * <p><b>Threads.</b> Any.
 */
final class Turns {

    private final Scheduler scheduler;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean taken;

    /** @param scheduler where those begin that had to wait */
    Turns(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** Begins at once, on the caller's thread, or once all are over that came before. */
    void take(Runnable begin) {
        synchronized (this) {
            if (taken) {
                waiting.add(begin);
                return;
            }
            taken = true;
        }
        begin.run();
    }

    /** The one that has the turn is over. */
    void over() {
        Runnable next = next();
        if (next != null) {
            scheduler.schedule(next);
        }
    }

    private synchronized @Nullable Runnable next() {
        taken = !waiting.isEmpty();
        return waiting.poll();
    }
}

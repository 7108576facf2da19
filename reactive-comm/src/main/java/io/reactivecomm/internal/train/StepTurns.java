package io.reactivecomm.internal.train;

import io.reactivecomm.internal.base.OwnThreads;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The order of a runner's steps: one at a time, in the order of their subscriptions. Two at once could each have a buffer that the other needs, a different one on each rank.
 *
 * <p><b>Threads.</b> Any.
 */
public final class StepTurns {

    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean isTaken;

    /** Begins at once, on the caller's thread, or on one of the library's when all steps before are over. */
    void take(Runnable begin) {
        if (!waits(begin)) {
            begin.run();
        }
    }

    private synchronized boolean waits(Runnable begin) {
        boolean waits = isTaken;
        if (waits) {
            waiting.add(begin);
        }
        isTaken = true;
        return waits;
    }

    /** The step that has its turn is over. */
    void over() {
        Runnable next = next();
        if (next != null) {
            OwnThreads.shared().schedule(next);
        }
    }

    private synchronized @Nullable Runnable next() {
        isTaken = !waiting.isEmpty();
        return waiting.poll();
    }
}

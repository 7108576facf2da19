package io.reactivecomm.internal.train;

import io.reactivecomm.internal.base.OwnThreads;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The order of a runner's steps: one at a time, in the order of their subscriptions. Two at once could each have a buffer that the other needs, a different one on each rank.
 *
 * <p><b>Threads.</b> Any.
 */
public final class StepTurns {

    /** The beginnings of steps: of the one that has its turn, and of those behind it. */
    private final Queue<Runnable> steps = new ArrayDeque<>();

    /** Begins at once, on the caller's thread, or on one of the library's when all steps before are over. */
    void take(Runnable begin) {
        boolean isFirst;
        synchronized (steps) {
            isFirst = steps.isEmpty();
            steps.add(begin);
        }
        if (isFirst) {
            begin.run();
        }
    }

    /** The step that has its turn is over. */
    void over() {
        Runnable next;
        synchronized (steps) {
            steps.remove();
            next = steps.peek();
        }
        if (next != null) {
            OwnThreads.shared().schedule(next);
        }
    }
}

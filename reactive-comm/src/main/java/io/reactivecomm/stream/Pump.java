package io.reactivecomm.stream;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs an action at least once after each time it was asked to, and never twice at once.
 *
 * <p>Whoever asks while nobody runs it does so, and runs it again for those who ask meanwhile; the action may ask itself. So what only the
 * action touches needs no lock, and what was written before asking is seen by it. It begins held: {@link #release()} is the first run.
 *
 * <p><b>Threads.</b> Any number ask.
 */
final class Pump {

    private final Runnable action;
    /** How often the action is due; 1 while held. */
    private final AtomicInteger due = new AtomicInteger(1);

    Pump(Runnable action) {
        this.action = action;
    }

    /** Lets the action run from now on, and runs it. */
    void release() {
        runDue();
    }

    void run() {
        if (due.getAndIncrement() == 0) {
            runDue();
        }
    }

    private void runDue() {
        int seen = 1;
        while (seen != 0) {
            boolean returned = false;
            try {
                action.run();
                returned = true;
            } finally {
                if (!returned) {
                    due.set(0);
                }
            }
            seen = due.addAndGet(-seen);
        }
    }
}

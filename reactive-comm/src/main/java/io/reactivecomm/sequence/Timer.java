package io.reactivecomm.sequence;

import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/** What time it is, and what happens later; tests move it by hand. */
interface Timer {

    /** The machine's. */
    Timer SYSTEM = new Timer() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Disposable after(long delayNanos, Runnable task) {
            return Schedulers.parallel().schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        }
    };

    long nanoTime();

    /** Runs a task later, unless it is disposed of before. */
    Disposable after(long delayNanos, Runnable task);
}

package io.reactivecomm.netty.internal.connection;

import io.netty.util.concurrent.EventExecutor;
import io.reactivecomm.spi.Loop;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The clock by which this transport waits: the system's, or one that a test moves. */
public interface Timers {

    /** The system's clock. */
    Timers SYSTEM = new Timers() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Loop.Timer schedule(EventExecutor on, Runnable task, long delayNanos) {
            Future<?> future = on.schedule(() -> run(task), delayNanos, TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        }

        private void run(Runnable task) {
            try {
                task.run();
            } catch (Throwable e) {
                LoopThread.timerFailed(e);
            }
        }
    };

    /** {@return a duration in nanoseconds, where a year stands for all that is longer} */
    static long nanos(Duration duration) {
        return duration.compareTo(Duration.ofDays(365)) > 0
                ? Duration.ofDays(365).toNanos()
                : duration.toNanos();
    }

    /** {@return the time in nanoseconds; only differences mean anything} */
    long nanoTime();

    /** Runs a task on that thread after a delay; what is returned cancels it. */
    Loop.Timer schedule(EventExecutor on, Runnable task, long delayNanos);
}

package io.reactivecomm.sequence;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/** Runs something at a time that is often put off: only an earlier time than the one it waits for moves it. Owned by {@link Tasks}. */
final class AlarmClock {

    private final Tasks tasks;
    private final Runnable alarm;
    private @Nullable Disposable timer;
    private long at = Leader.NEVER;

    AlarmClock(Tasks tasks, Runnable alarm) {
        this.tasks = tasks;
        this.alarm = alarm;
    }

    /** Has the alarm come at that time of {@link System#nanoTime()}, if none comes before. */
    void set(long time) {
        if (time < at) {
            stop();
            at = time;
            long delay = Math.max(0, time - System.nanoTime());
            timer = Schedulers.parallel().schedule(() -> tasks.execute(this::ring), delay, TimeUnit.NANOSECONDS);
        }
    }

    private void ring() {
        timer = null;
        at = Leader.NEVER;
        alarm.run();
    }

    /** Has no alarm come. */
    void stop() {
        if (timer != null) {
            timer.dispose();
            timer = null;
        }
        at = Leader.NEVER;
    }
}

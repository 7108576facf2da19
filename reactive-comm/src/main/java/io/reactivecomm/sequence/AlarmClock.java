package io.reactivecomm.sequence;

import io.reactivecomm.internal.base.DrainLoop;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** Runs something at a time that is often put off: only an earlier time than the one it waits for moves it. Owned by {@link DrainLoop}. */
final class AlarmClock {

    private final SequencerClock timer;
    private final DrainLoop tasks;
    private final Runnable alarm;
    private @Nullable Disposable pending;
    private long at = Leader.NEVER;

    AlarmClock(SequencerClock timer, DrainLoop tasks, Runnable alarm) {
        this.timer = timer;
        this.tasks = tasks;
        this.alarm = alarm;
    }

    /** Has the alarm come at that time of the timer, if none comes before. */
    void set(long time) {
        if (time < at) {
            stop();
            at = time;
            pending = timer.after(Math.max(0, time - timer.nanoTime()), () -> tasks.execute(this::ring));
        }
    }

    private void ring() {
        pending = null;
        at = Leader.NEVER;
        alarm.run();
    }

    /** Has no alarm come. */
    void stop() {
        if (pending != null) {
            pending.dispose();
            pending = null;
        }
        at = Leader.NEVER;
    }
}

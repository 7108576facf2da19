package io.reactivecomm.rcomm.latency;

import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.Loop;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A loop whose time goes on when the test says so. */
final class VirtualLoop implements Loop {

    private record Task(long at, Runnable action) {}

    private final List<Task> tasks = new ArrayList<>();
    private long now;
    private long latenessNanos;

    /** All timers from now on are late by so much. */
    void beLate(long nanos) {
        latenessNanos = nanos;
    }

    /** {@return how many timers are set} */
    int timers() {
        return tasks.size();
    }

    void advanceTo(long time) {
        for (Task next = next(time); next != null; next = next(time)) {
            tasks.remove(next);
            now = next.at;
            next.action.run();
        }
        now = time;
    }

    private @Nullable Task next(long until) {
        return tasks.stream()
                .filter(task -> task.at <= until)
                .min(Comparator.comparingLong(Task::at))
                .orElse(null);
    }

    @Override
    public FatalErrors fatalErrors() {
        throw new AssertionError("nobody ends here");
    }

    @Override
    public boolean inLoop() {
        return true;
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
        tasks.add(new Task(now + delayNanos + latenessNanos, task));
        return () -> {};
    }

    @Override
    public Thread thread() {
        return Thread.currentThread();
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(new Task(now, task));
    }
}

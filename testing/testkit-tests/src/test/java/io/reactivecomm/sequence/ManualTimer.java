package io.reactivecomm.sequence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** A clock that stands still until it is moved; what is due then happens on the thread that moves it. */
final class ManualTimer implements SequencerClock {

    private record Due(long at, Runnable task, Disposable disposable) {}

    private final List<Due> waiting = new ArrayList<>();
    private long now = 1_000_000;

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public synchronized Disposable after(long delayNanos, Runnable task) {
        Due due = new Due(now + delayNanos, task, Disposables.single());
        waiting.add(due);
        notifyAll();
        return due.disposable;
    }

    /** Waits until so many things are to happen within a time: what brings them about runs on other threads. */
    synchronized void await(int count, Duration within) throws InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (waiting.stream()
                        .filter(each -> !each.disposable.isDisposed() && each.at <= now + within.toNanos())
                        .count()
                < count) {
            if (System.nanoTime() > until) {
                throw new AssertionError("too little is to happen: expected=" + count + ", waiting=" + waiting);
            }
            wait(1000);
        }
    }

    void pass(Duration time) {
        List<Due> due = new ArrayList<>();
        synchronized (this) {
            now += time.toNanos();
            waiting.removeIf(each -> each.at <= now && due.add(each));
        }
        due.stream().filter(each -> !each.disposable.isDisposed()).forEach(each -> each.task.run());
    }
}

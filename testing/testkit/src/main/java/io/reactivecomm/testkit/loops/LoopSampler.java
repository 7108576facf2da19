package io.reactivecomm.testkit.loops;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A watch over all loops of this JVM, from their threads' start to their end: how much CPU time each uses before it comes to its next task.
 *
 * <p><b>Threads.</b> One of its own; {@link #longest} from any.
 */
final class LoopSampler implements AutoCloseable {

    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Map<Thread, WatchedLoop> loops = new HashMap<>();
    private final Thread sampling =
            Thread.ofPlatform().daemon().name("loop-sampler").unstarted(this::run);
    private volatile boolean over;
    /** Passes over all loops in which each had come to its next task since the last one. */
    private long rounds;

    private @Nullable BusyPeriod longest;

    static LoopSampler start() {
        LoopSampler sampler = new LoopSampler();
        sampler.sampling.start();
        return sampler;
    }

    private void run() {
        while (!over) {
            seek();
            loops.values().forEach(loop -> loop.look().ifPresent(this::add));
            countRound();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void seek() {
        loops.keySet().removeIf(thread -> !thread.isAlive());
        Thread[] alive = new Thread[Thread.activeCount() + 16];
        int found = Thread.enumerate(alive);
        for (int i = 0; i < found; i++) {
            if (!loops.containsKey(alive[i])) {
                WatchedLoop.over(alive[i]).ifPresent(loop -> loops.put(loop.thread(), loop));
            }
        }
    }

    private synchronized void add(BusyPeriod stretch) {
        BusyPeriod known = longest;
        if (known == null || stretch.cpuNanos() > known.cpuNanos()) {
            longest = stretch;
        }
    }

    private void countRound() {
        if (loops.values().stream().allMatch(WatchedLoop::hasAnswered)) {
            loops.values().forEach(WatchedLoop::forgetAnswer);
            synchronized (this) {
                rounds++;
                notifyAll();
            }
        }
    }

    /** Waits until all that loops had to do has been counted. */
    synchronized void settle() throws InterruptedException {
        long end = System.nanoTime() + BOUND_NANOS;
        // One may have begun before.
        for (long last = rounds + 2; rounds < last; ) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new IllegalStateException("a loop does not come to its next task");
            }
            wait(left);
        }
    }

    /** {@return the longest stretch since the last time, or null if there was none} */
    synchronized @Nullable BusyPeriod longest() {
        BusyPeriod found = longest;
        longest = null;
        return found;
    }

    @Override
    public void close() throws InterruptedException {
        over = true;
        sampling.join();
    }
}

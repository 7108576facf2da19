package io.reactivecomm.netty;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.function.LongSupplier;

/**
 * How an event loop waits: it keeps looking for a while, and sleeps only then. To wake a sleeping thread costs 20 to 30 µs, several times
 * what a small message needs.
 *
 * <p>Until it is told that there are cores to spare it sleeps at once.
 *
 * <p><b>Threads.</b> The loop, but for {@link #spin}, which any may call.
 */
final class SpinThenSleep implements SelectStrategy {

    /** Longer than the time between two messages of a call; short beside a time slice that another thread may wait for. */
    static final long SPIN_NANOS = 50_000;

    private final LongSupplier clock;
    private volatile boolean spins;
    private boolean idle;
    private long idleSince;

    SpinThenSleep(LongSupplier clock) {
        this.clock = clock;
    }

    /** From now on the loop looks for {@link #SPIN_NANOS} before it sleeps. */
    void spin() {
        spins = true;
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        if (!spins) {
            return hasTasks ? selectNow.get() : SELECT;
        }
        int ready = selectNow.get();
        if (ready > 0 || hasTasks) {
            idle = false;
            return ready;
        }
        return isToSleep() ? SELECT : CONTINUE;
    }

    private boolean isToSleep() {
        long now = clock.getAsLong();
        if (!idle) {
            idle = true;
            idleSince = now;
        }
        if (now - idleSince >= SPIN_NANOS) {
            idle = false;
            return true;
        }
        Thread.onSpinWait();
        return false;
    }
}

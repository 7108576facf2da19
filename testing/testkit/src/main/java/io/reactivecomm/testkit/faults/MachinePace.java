package io.reactivecomm.testkit.faults;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A measure of how much slower than alone a thread of this machine runs, for limits that are for an idle machine. It compares the time that a thread takes with the
 * processor's time that it gets. On an idle machine the two are equal, and limits stay as they are.
 *
 * <p><b>Threads.</b> One.
 */
final class MachinePace {

    /** Several time slices of Linux's scheduler. */
    private static final long SAMPLE_NANOS = 10_000_000L;

    private final LongSupplier processorNanos;
    private final LongSupplier nanos;
    private double slowest = 1;

    /** A pace by the clocks of the thread that asks. */
    MachinePace() {
        this(ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime, System::nanoTime);
    }

    /** @param processorNanos the time that the thread ran, or negative if it is not known */
    MachinePace(LongSupplier processorNanos, LongSupplier nanos) {
        this.processorNanos = processorNanos;
        this.nanos = nanos;
    }

    /** {@return a limit, longer by as much as the machine is slower now, or was at an earlier question} */
    Duration stretched(Duration limit) {
        long ran = processorNanos.getAsLong();
        long began = nanos.getAsLong();
        long gained = 0;
        while (ran >= 0 && gained < SAMPLE_NANOS) {
            gained = processorNanos.getAsLong() - ran;
        }
        if (gained > 0) {
            slowest = Math.max(slowest, (double) (nanos.getAsLong() - began) / gained);
        }
        return Duration.ofNanos((long) (limit.toNanos() * slowest));
    }
}

package io.reactivecomm.recorder;

import java.time.Duration;
import java.util.List;

/**
 * The account that a rank gives of itself: of the time since it gave one before, and of the moment.
 *
 * @param rank its place in the world
 * @param worldSize the number of ranks
 * @param pid its process
 * @param host the name of its machine
 * @param over since it told before; zero the first time, when rates are not known yet
 * @param calls calls that ended in that time, those inside composite calls among them and these themselves not
 * @param failed how many of them failed
 * @param bytes their size as nccl-tests counts it
 * @param busBytes that, times what makes it comparable with the hardware's bandwidth: {@link io.reactivecomm.Operation#busFactor(int)}
 * @param waitingNanos the time in which those calls waited for other ranks to make them, each moment once
 * @param inFlight calls under way
 * @param oldest some of those, the oldest first
 * @param lost world ranks that it has lost
 * @param failure why its world has failed, or empty
 */
public record RankReport(
        int rank,
        int worldSize,
        long pid,
        String host,
        Duration over,
        long calls,
        long failed,
        long bytes,
        long busBytes,
        long waitingNanos,
        int inFlight,
        List<WaitingCall> oldest,
        List<Integer> lost,
        String failure) {

    private static final double NANOS = 1e9;

    public RankReport {
        oldest = List.copyOf(oldest);
        lost = List.copyOf(lost);
    }

    /** {@return whether it covers a time: the first one does not} */
    public boolean hasRates() {
        return !over.isZero();
    }

    /** {@return calls that ended a second; 0 where rates are not known} */
    public double callsPerSecond() {
        return perSecond(calls);
    }

    /** {@return bytes of ended calls, in GB a second: how much the calls moved, whether one after the other or side by side} */
    public double gigabytesPerSecond() {
        return perSecond(bytes) / NANOS;
    }

    /** {@return as {@link #gigabytesPerSecond}, of {@link #busBytes}} */
    public double busGigabytesPerSecond() {
        return perSecond(busBytes) / NANOS;
    }

    /** {@return the share of the time in which calls that ended waited for other ranks, from 0 to 1} Of a wait that began before that time, the beginning is in it, too. */
    public double waitingShare() {
        return over.isZero() ? 0 : Math.min(1, (double) waitingNanos / over.toNanos());
    }

    private double perSecond(long amount) {
        return over.isZero() ? 0 : amount * NANOS / over.toNanos();
    }
}

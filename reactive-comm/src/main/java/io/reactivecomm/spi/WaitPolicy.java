package io.reactivecomm.spi;

/**
 * The waiting of a thread for work that may come at any moment: it looks again at once, lets others run on its core, or sleeps.
 *
 * <p>To sleep and be woken costs 20 to 30 µs, several times what a small message needs, so a thread without work stays awake for a while. A spinning
 * thread sees the work first, but only on a core of its own. What a yield costs shows whether others want the core: next to a busy process, the
 * scheduler gives the core back only after a time slice of about 3 ms. A thread that sleeps instead is given the core as soon as it is woken. So
 * where yields are dear, the next waits sleep at once; later, yields are tried again. With more such threads than cores, those that wait for each other would
 * have to be woken for each message, which costs more than it saves.
 *
 * <pre>{@code
 * while (true) {
 *     if (findsWork()) {
 *         policy.found();
 *     } else {
 *         switch (policy.next(System.nanoTime())) {
 *             case SPIN -> Thread.onSpinWait();
 *             case YIELD -> {
 *                 Thread.yield();
 *                 policy.yielded(System.nanoTime());
 *             }
 *             case SLEEP -> {
 *                 sleepUntilWorkComes();
 *                 policy.found();
 *             }
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p><b>Threads.</b> The one that waits.
 */
public final class WaitPolicy {

    /** An action until the next look. */
    public enum Step {
        /** Look again at once. */
        SPIN,
        /** Let other threads run on this core, then call {@link #yielded}. */
        YIELD,
        /** Sleep until work comes. */
        SLEEP
    }

    /** The time from the end of work to sleep: two threads that wait for each other must not put each other to sleep in turn. */
    public static final long AWAKE_NANOS = 500_000;

    /** About what a sleep and a wake cost. */
    static final long MOST_SPINNING_NANOS = 20_000;

    static final long LEAST_SPINNING_NANOS = 1_250;

    /** A mean cost of yields above which others want the core. On an idle machine, single yields cost as much some 30 times a second. */
    static final long DEAR_NANOS = 300_000;

    /** The time for which yields are not tried again. */
    static final long SLEEPING_NANOS = 20_000_000;

    /** The weight of one yield in the mean is one to so many. */
    private static final int WEIGHT = 8;

    private final boolean isCrowded;
    private final long mostSpinning;
    private final long awake;
    private boolean isIdle;
    private boolean hasYielded;
    private long spinning;
    private long idleSince;
    private long now;
    private long meanYield;
    private boolean isYieldDear;
    private long dearUntil;

    /**
     * @param isCrowded whether there are more such threads than cores; it then never spins, and yields however dear that is
     * @param awakeNanos how long it stays awake without work, in nanoseconds; {@link #AWAKE_NANOS} for loops
     */
    public WaitPolicy(boolean isCrowded, long awakeNanos) {
        this.isCrowded = isCrowded;
        mostSpinning = isCrowded ? 0 : MOST_SPINNING_NANOS;
        spinning = mostSpinning;
        awake = awakeNanos;
    }

    /**
     * {@return what to do after a look that found nothing}
     *
     * @param now the time in nanoseconds, as {@link System#nanoTime}
     */
    public Step next(long now) {
        this.now = now;
        if (!isIdle) {
            isIdle = true;
            hasYielded = false;
            idleSince = now;
        }
        long idleFor = now - idleSince;
        if (areYieldsDear(now) || idleFor >= awake) {
            hasYielded = true;
            return Step.SLEEP;
        }
        if (idleFor < spinning) {
            return Step.SPIN;
        }
        if (!hasYielded && !isCrowded) {
            spinning = Math.max(LEAST_SPINNING_NANOS, spinning / 2);
        }
        hasYielded = true;
        return Step.YIELD;
    }

    private boolean areYieldsDear(long now) {
        if (isYieldDear && now - dearUntil >= 0) {
            isYieldDear = false;
        }
        return isYieldDear;
    }

    /**
     * Learns what a yield costs, after {@link #next} has asked for it.
     *
     * @param now the time after the yield
     */
    public void yielded(long now) {
        meanYield += (now - this.now - meanYield) / WEIGHT;
        if (!isCrowded && meanYield > DEAR_NANOS) {
            meanYield = 0;
            isYieldDear = true;
            dearUntil = now + SLEEPING_NANOS;
        }
    }

    /** Ends the present wait, after work was found and after each sleep. Without this call, the next step is to sleep again. */
    public void found() {
        if (isIdle && !hasYielded) {
            spinning = Math.min(mostSpinning, 2 * spinning);
        }
        isIdle = false;
    }
}

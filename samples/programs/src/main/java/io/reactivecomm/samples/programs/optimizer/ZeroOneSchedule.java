package io.reactivecomm.samples.programs.optimizer;

import io.reactivecomm.deepspeed.OneBitParams.ZeroOneAdamParams;

/**
 * The steps in which 0/1 Adam talks to other ranks: T_v, in which gradients are averaged for the variance, and T_u, in which momenta are.
 *
 * <p>The first {@code variancesPerInterval} steps of T_v are next to each other, as many are two steps apart, then four, and so on. All steps are in T_u at first, and later every
 * second, every fourth, until one in {@code mostLocalSteps} is. Here two of each kind, with local steps from step 6 on, of which the interval doubles after 8 more:
 *
 * <pre>
 *   step   0  1  2  3  4  5 │ 6  7  8  9 10 11 12 13 │14 15 16 17 18 19 20 21
 *   T_v    v  v  v     v    │ none: the variance stays while parameters go their own ways
 *   T_u    u  u  u  u  u  u │    u     u     u     u │         u           u
 * </pre>
 *
 * <p><b>Source.</b> Lu et al., <em>0/1 Adam</em>, 2022, the policies of its experiments: for T_v an interval of 2^⌊j/κ⌋ steps after the j-th, κ = 16; for T_u intervals that double as the
 * learning rate falls, at most 16; no variance after the first local step.
 *
 * @param variancesPerInterval κ, how many steps of T_v follow each other at one interval
 * @param firstLocalStep the first step that is not in T_u as a matter of course
 * @param doublingSteps after how many further steps the interval of T_u doubles again
 * @param mostLocalSteps the greatest interval of T_u, a power of two
 */
public record ZeroOneSchedule(int variancesPerInterval, long firstLocalStep, long doublingSteps, int mostLocalSteps) {

    /** The paper's κ. */
    public static final int DEFAULT_VARIANCES_PER_INTERVAL = 16;

    /** The paper's H. */
    public static final int DEFAULT_MOST_LOCAL_STEPS = 16;

    public ZeroOneSchedule {
        if (variancesPerInterval < 1
                || firstLocalStep < 1
                || doublingSteps < 1
                || mostLocalSteps < 1
                || Integer.bitCount(mostLocalSteps) != 1) {
            throw new IllegalArgumentException("no such schedule: variancesPerInterval=" + variancesPerInterval
                    + ", firstLocalStep=" + firstLocalStep + ", doublingSteps=" + doublingSteps + ", mostLocalSteps="
                    + mostLocalSteps + "; give numbers above 0, the last a power of two");
        }
    }

    /** {@return the schedule of DeepSpeed's 0/1 Adam} Local steps begin when the variance is renewed no more. */
    public static ZeroOneSchedule of(ZeroOneAdamParams params) {
        return new ZeroOneSchedule(
                Math.toIntExact(params.varUpdateScaler()),
                params.varFreezeStep(),
                params.localStepScaler(),
                Math.toIntExact(params.localStepClipper()));
    }

    /** {@return whether a step is in T_v} */
    boolean averagesGradients(long step) {
        if (step >= firstLocalStep) {
            return false;
        }
        long interval = Long.highestOneBit(step / variancesPerInterval + 1);
        long first = (interval - 1) * variancesPerInterval;
        return (step - first) % interval == 0;
    }

    /** {@return whether a step is in T_u} */
    boolean averagesMomenta(long step) {
        return step < firstLocalStep || (step + 1 - firstLocalStep) % interval(step) == 0;
    }

    private long interval(long step) {
        long doublings = 1 + (step - firstLocalStep) / doublingSteps;
        return doublings < Integer.SIZE ? Math.min(1L << doublings, mostLocalSteps) : mostLocalSteps;
    }
}

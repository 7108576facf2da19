package io.reactivecomm.compression.reduce;

/**
 * The facts of a compressed call that has ended without an error.
 *
 * <p>A NaN or an infinity on any rank makes the result not finite, and {@link #isFinite} is then false on all ranks. Such a step does not change the state of its name. Programs with loss
 * scaling skip such a step and lower the scale. The next step has the same result as without the skipped one.
 *
 * @param step the number of successful steps of its name before; 0 for a call without a state, or one that is switched off
 * @param isCompressed whether elements were encoded; not in the steps of a warm-up, nor of a tensor that is better off without
 * @param bytesSent what this rank sent to others of encoded elements; 0 where all-reduces take them, in a warm-up and in PowerSGD, since those choose how they send
 * @param isFinite whether the result of all ranks has finite elements only; the same on all ranks
 */
public record Compressed(long step, boolean isCompressed, long bytesSent, boolean isFinite) {

    /** The facts of a call with a finite result. */
    public Compressed(long step, boolean isCompressed, long bytesSent) {
        this(step, isCompressed, bytesSent, true);
    }
}

package io.reactivecomm.compression.reduce;

/**
 * The facts of a compressed call that has ended without an error.
 *
 * <p>A result with a NaN or an infinity, on whichever rank that came up, is not finite, and this says so on all ranks alike. Such a step leaves the state of its name as it was: leave it
 * out, as programs with loss scaling do, lower the scale and go on. The next step gives what it would have given without it.
 *
 * @param step how many of its name had gone well before; 0 of a call that keeps no state, or that is switched off and does nothing
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

package io.reactivecomm.train;

/** The owner of the sums of gradients over the micro-steps of a group ({@link GradientHooks#withAccumulation}). */
public enum Accumulation {
    /**
     * The framework adds up, as torch does in {@code .grad}: the tensor that it hands over in a micro-step has the sum of the group so far, and keeps it until the group ends.
     * The framework zeroes it after the group, also if that failed.
     */
    FRAMEWORK,
    /**
     * The library adds up gradients that arrive fresh in each micro-step, in their own type with one rounding an addition. It reads them before the step continues, so the framework may reuse their
     * memory. Dense gradients in the host's memory only.
     */
    LIBRARY
}

package io.reactivecomm.internal.schedule;

/** The memories that a schedule names. */
public enum Buffer {
    /** What the rank contributes; may be the same memory as {@link #OUTPUT}. */
    INPUT,
    /** What takes the rank's result. */
    OUTPUT,
    /**
     * Memory of the call's own, in elements of the type's accumulator: where partial results wait. In a call that reduces nothing it is in
     * elements of the type itself: where what is passed on waits.
     */
    SCRATCH
}

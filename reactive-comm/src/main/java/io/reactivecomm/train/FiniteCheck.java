package io.reactivecomm.train;

/** The consequence of a gradient that is a NaN or an infinity ({@link GradientHooks#withFiniteCheck}). */
public enum FiniteCheck {
    /**
     * The step fails on all ranks. The error names rank, gradient and first index. Results that came back before it stay: gradients are checked as they arrive and as they come out of the last hook, so
     * nothing waits for the check.
     */
    FAIL,
    /**
     * Nothing is taken back on any rank, and {@link StepEnd#skipped} says so, as loss scaling needs. Results are held, by reference, until the last arrives and the ranks have compared: the
     * optimizer begins when communication has ended. Rows of sparse results, and gradients that this rank lacked, need their memory all that time; other results are in the
     * program's own.
     */
    SKIP
}

package io.reactivecomm.train;

import java.util.Objects;

/**
 * The outcome of a step that succeeded on this rank.
 *
 * @param step the step's number, from 0; the micro-steps of a group share it
 * @param produced the number of gradients that this rank's backward pass produced, or the passes of its group
 * @param results the number of gradients that came out of the last hook. It exceeds {@code produced} where other ranks had gradients that this rank lacked; it
 *     is less where hooks dropped some
 * @param kind whether the optimizer has anything to apply
 */
public record StepEnd(long step, long produced, long results, Kind kind) {

    /** The ways in which a step can end well. */
    public enum Kind {
        /** Gradients went through the hooks, and results came back. */
        REDUCED,
        /** A micro-step that made no call and gave nothing back ({@link GradientHooks#withAccumulation}). */
        LOCAL,
        /** A gradient was not finite, and nothing came back on any rank ({@link FiniteCheck#SKIP}). */
        SKIPPED
    }

    public StepEnd {
        Objects.requireNonNull(kind, "kind");
    }

    /** The end of a step whose gradients went through the hooks. */
    public StepEnd(long step, long produced, long results) {
        this(step, produced, results, Kind.REDUCED);
    }

    /** {@return whether it was a micro-step that only accumulated: the optimizer does not step} */
    public boolean isLocal() {
        return kind == Kind.LOCAL;
    }

    /** {@return whether nothing came back on any rank because a gradient was not finite: the optimizer does not step} */
    public boolean skipped() {
        return kind == Kind.SKIPPED;
    }
}

package io.reactivecomm.samples.programs.train;

/** A listener to a training step: it is told what the step does, and when by {@link System#nanoTime}. */
public interface StepWatch {

    /** A part of the computing of a step. */
    enum Phase {
        FORWARD,
        BACKWARD,
        /** The update of one layer. */
        OPTIMIZER
    }

    /** The compute thread was busy with that phase for so long, without a pause. */
    void computed(Phase phase, long fromNanos, long toNanos);

    /** A gradient has come back from the hooks, on whichever thread that happened. */
    void gradientReturned();
}

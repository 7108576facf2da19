package io.reactivecomm.samples.programs.train;

/** Is told what a training step does, and when by {@link System#nanoTime}. */
public interface StepWatch {

    /** What a step computes. */
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

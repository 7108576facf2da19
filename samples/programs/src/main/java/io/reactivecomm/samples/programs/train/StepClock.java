package io.reactivecomm.samples.programs.train;

/**
 * The two times of a training step whose difference is the communication that compute did not hide.
 *
 * <p><b>Threads.</b> The compute thread says when the backward pass ended, the group's loop when a gradient returned; who asks for the
 * result comes after both.
 */
final class StepClock implements StepWatch {

    private volatile long backwardEndNanos;
    private volatile long lastReturnNanos;

    @Override
    public void computed(Phase phase, long fromNanos, long toNanos) {
        if (phase == Phase.BACKWARD) {
            backwardEndNanos = toNanos;
        }
    }

    /** Each return replaces the one before: the last is the one that counts. */
    @Override
    public void gradientReturned() {
        lastReturnNanos = System.nanoTime();
    }

    /** {@return the time waited for gradients after the backward pass, in nanoseconds} */
    long exposedNanos() {
        return Math.max(0, lastReturnNanos - backwardEndNanos);
    }
}

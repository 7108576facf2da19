package io.reactivecomm.mpi;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The last rounds of a rank that leaves its world, for a second at most: what MPI has of failed calls may end by then. What does not, it keeps. */
record LastRounds(SmallCalls rounds, MpiProcess process) implements Worker.Task {

    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long PAUSE_NANOS = 50_000;

    @Override
    public void run() {
        long begun = System.nanoTime();
        while (rounds.holdsAny() && System.nanoTime() - begun < LONGEST_NANOS) {
            rounds.look();
            rounds.lookAtLeftOver();
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        if (rounds.holdsAny()) {
            process.keep(rounds);
        }
    }
}

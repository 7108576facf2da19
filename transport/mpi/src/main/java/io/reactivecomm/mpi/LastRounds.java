package io.reactivecomm.mpi;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The rounds of small calls that others still count on when a rank leaves its world; for a second at most. What MPI has then, it keeps. */
record LastRounds(Rounds rounds, MpiProcess process) implements Worker.Task {

    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long PAUSE_NANOS = 50_000;

    @Override
    public void run() {
        long begun = System.nanoTime();
        while (rounds.hasAny() && System.nanoTime() - begun < LONGEST_NANOS) {
            rounds.look();
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        if (rounds.hasAny()) {
            process.keep(rounds);
        }
    }
}

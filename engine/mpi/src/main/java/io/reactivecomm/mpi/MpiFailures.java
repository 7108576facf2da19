package io.reactivecomm.mpi;

import io.reactivecomm.CommException;
import io.reactivecomm.spi.Failure;

/** Failures of calls that MPI does not perform, in words. */
final class MpiFailures {

    private MpiFailures() {}

    /** {@return that of a call that has thrown on this rank} */
    static Failure of(Running running, Throwable cause) {
        int rank =
                running.turn().group().worldRanks().get(running.turn().group().rank());
        return new Failure(
                Failure.Kind.INTERNAL,
                rank,
                "MPI failed: rank=" + rank + ", call="
                        + running.turn().call().collective().describe() + ", cause="
                        + (cause instanceof CommException
                                ? CommException.textOf(cause)
                                : CommException.describe(cause)));
    }

    static Failure closed(int rank, String what) {
        return new Failure(Failure.Kind.CLOSED, rank, what + " was closed on this rank: rank=" + rank);
    }
}

package io.reactivecomm.nccl;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;

/** The failures that this rank's part of a call can have, in words for people. */
final class NcclFailures {

    private NcclFailures() {}

    /** {@return that of a call in which something was thrown} */
    static Failure of(NcclCall call, Throwable cause) {
        EngineGroup group = call.turn().group();
        int rank = group.worldRanks().get(group.rank());
        if (cause instanceof InvalidCallException error) {
            return new Failure(
                    Failure.Kind.INVALID,
                    rank,
                    CommException.textOf(error) + " (rank=" + rank + ", call="
                            + call.collective().describe() + ")");
        }
        boolean isLate = cause instanceof NcclException error && error.result() == NcclResult.TIMEOUT;
        return new Failure(
                isLate ? Failure.Kind.TIMEOUT : Failure.Kind.INTERNAL,
                rank,
                "NCCL failed: rank=" + rank + ", group=" + group.id() + ", call="
                        + call.collective().describe() + ", cause=" + told(cause)
                        + "; look at what the library says with NCCL_DEBUG=WARN");
    }

    /** {@return that of the opening of a group} */
    static Failure ofOpening(EngineGroup group, int worldRank, Throwable cause) {
        return new Failure(
                Failure.Kind.INTERNAL,
                worldRank,
                "NCCL cannot open a group: rank=" + worldRank + ", group=" + group.id() + ", ranks="
                        + group.worldRanks() + ", cause=" + told(cause)
                        + "; look at what the library says with NCCL_DEBUG=WARN");
    }

    /** {@return that of a group that was given up with one that was being split from it} */
    static Failure lost(EngineGroup group, int worldRank) {
        return new Failure(
                Failure.Kind.INTERNAL,
                worldRank,
                "NCCL cannot go on with a group: rank=" + worldRank + ", group=" + group.id() + ", ranks="
                        + group.worldRanks()
                        + ", cause=another was being split from it, and ended before it was there; end groups when a call of them has ended");
    }

    static Failure closed(int rank) {
        return new Failure(Failure.Kind.CLOSED, rank, "the world is closed: rank=" + rank);
    }

    /** {@return the message of what says enough by itself, or all of the other} */
    private static String told(Throwable cause) {
        return cause instanceof NcclException ? CommException.textOf(cause) : CommException.describe(cause);
    }
}

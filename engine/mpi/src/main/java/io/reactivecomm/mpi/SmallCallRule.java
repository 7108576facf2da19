package io.reactivecomm.mpi;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;

/** The size of a call, by which it goes one way or the other. */
final class SmallCallRule {

    /** Bytes of a small call: MPI sends them at once, and they are folded and copied in a few microseconds. */
    static final long SMALL_BYTES = 16 << 10;

    private SmallCallRule() {}

    /** {@return whether it is a small one, the same on all ranks} Of rows that only pairs of them know, or some have and others not, it is never so. @param smallBytes what one takes at most */
    static boolean isSmall(Collective call, int size, long smallBytes) {
        long width = call.signature().type().byteSize();
        return switch (call.operation()) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, BROADCAST, MESSAGE ->
                call.signature().count() * width <= smallBytes;
            case ALL_GATHER -> total(call.partitions(size).output(), width) <= smallBytes;
            case REDUCE_SCATTER -> total(call.partitions(size).input(), width) <= smallBytes;
            case ALL_TO_ALL -> call.signature().isEven() && call.signature().count() * width <= smallBytes;
            case BARRIER, GATHER, SCATTER, COALESCED, MONITORED_BARRIER, NEW_GROUP -> false;
        };
    }

    private static long total(Partition parts, long width) {
        return parts.total() * width;
    }
}

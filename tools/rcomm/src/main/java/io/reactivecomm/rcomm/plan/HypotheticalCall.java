package io.reactivecomm.rcomm.plan;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.collective.Partitions;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;

/**
 * A call that nobody makes: what the algorithms ask about one.
 *
 * @param elements of the whole array, as nccl-tests counts it; a multiple of the ranks where each has a share
 */
record HypotheticalCall(Operation operation, Layout layout, long elements, DType type, ReduceOp reduction) {

    /** Any: a tree or chain costs the same from each, but for the rank-order chain, which is a step shorter with the last rank as root. */
    private static final int ROOT = 0;

    /** Partial results are twice as wide as 16-bit elements, and some algorithms move or keep the whole array twice for each rank. */
    private static final int SLACK = 64;

    HypotheticalCall {
        if (reduces(operation) && !reduction.supports(type)) {
            throw new IllegalArgumentException("elements cannot be reduced: op=" + reduction + ", dtype=" + type
                    + "; choose another --dtype or --reduction");
        }
    }

    /** {@return the call for an array of that size, rounded down to what the ranks share evenly} */
    static HypotheticalCall of(Operation operation, Layout layout, long bytes, DType type, ReduceOp reduction) {
        if (bytes < 0) {
            throw new IllegalArgumentException("a size is negative: bytes=" + bytes + "; give 0 or more");
        }
        int ranks = layout.size();
        requireCountable(ranks, bytes);
        long elements = isBarrier(operation) ? 0 : bytes / type.byteSize();
        long shared = isShared(operation) ? elements / ranks * ranks : elements;
        return new HypotheticalCall(operation, layout, shared, type, reduction);
    }

    int ranks() {
        return layout.size();
    }

    /** So that no sum of bytes that an algorithm moves or keeps passes what a long holds: at most as many times the size as there are ranks. */
    private static void requireCountable(int ranks, long bytes) {
        if (bytes > Long.MAX_VALUE / SLACK / ranks) {
            throw new IllegalArgumentException("a size is too large to calculate with: bytes=" + bytes + ", ranks="
                    + ranks + "; plan for fewer bytes or ranks");
        }
    }

    private static boolean isBarrier(Operation operation) {
        return operation == Operation.BARRIER
                || operation == Operation.MONITORED_BARRIER
                || operation == Operation.NEW_GROUP;
    }

    private static boolean reduces(Operation operation) {
        return switch (operation) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, REDUCE_SCATTER -> true;
            case BROADCAST,
                    ALL_GATHER,
                    ALL_TO_ALL,
                    GATHER,
                    SCATTER,
                    BARRIER,
                    MONITORED_BARRIER,
                    MESSAGE,
                    NEW_GROUP,
                    COALESCED -> false;
        };
    }

    private static boolean isShared(Operation operation) {
        return switch (operation) {
            case ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, GATHER, SCATTER -> true;
            case ALL_REDUCE,
                    INFERENCE_ALL_REDUCE,
                    REDUCE,
                    BROADCAST,
                    BARRIER,
                    MONITORED_BARRIER,
                    MESSAGE,
                    NEW_GROUP,
                    COALESCED -> false;
        };
    }

    long bytes() {
        return elements * type.byteSize();
    }

    /** {@return the width in which partial results travel, or elements where there are none} */
    int partialBytes() {
        return reduces(operation) ? type.accumulator().byteSize() : type.byteSize();
    }

    Signature signature() {
        long count = switch (operation) {
            case ALL_GATHER, REDUCE_SCATTER -> elements / ranks();
            case GATHER, SCATTER -> Signature.UNEVEN;
            case ALL_REDUCE,
                    INFERENCE_ALL_REDUCE,
                    REDUCE,
                    BROADCAST,
                    ALL_TO_ALL,
                    BARRIER,
                    MONITORED_BARRIER,
                    MESSAGE,
                    NEW_GROUP,
                    COALESCED -> elements;
        };
        return new Signature(operation, type, count, ROOT, reduces(operation) ? reduction : null);
    }

    Place place(int rank) {
        return new Place(rank, layout, ROOT, partitions(rank));
    }

    private Partitions partitions(int rank) {
        Partition whole = Partition.whole(elements);
        Partition part = Partition.whole(elements / ranks());
        Partition parts = Partition.even(ranks(), elements / ranks());
        return switch (operation) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, BROADCAST -> new Partitions(whole, whole);
            case ALL_GATHER -> new Partitions(part, parts);
            case REDUCE_SCATTER -> new Partitions(parts, part);
            case ALL_TO_ALL -> new Partitions(parts, parts);
            case GATHER -> new Partitions(part, rank == ROOT ? parts : Partition.nothing());
            case SCATTER -> new Partitions(rank == ROOT ? parts : Partition.nothing(), part);
            case BARRIER, MONITORED_BARRIER, MESSAGE, NEW_GROUP, COALESCED -> Partitions.NONE;
        };
    }
}

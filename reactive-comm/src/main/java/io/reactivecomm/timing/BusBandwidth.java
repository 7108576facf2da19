package io.reactivecomm.timing;

import io.reactivecomm.Operation;

/**
 * The part of a whole array that each rank's link must carry at least: nccl-tests' factor from algorithm bandwidth to bus bandwidth.
 *
 * <p>The algorithm bandwidth, algbw, is the size of the array by the time. The bus bandwidth, busbw, is that times this part, so that it can be
 * compared with the hardware's whatever the number of ranks.
 *
 * <p><b>Source.</b> NVIDIA, nccl-tests, doc/PERFORMANCE.md, and for gather and scatter its src/gather.cu and src/scatter.cu.
 */
public enum BusBandwidth {
    /** The array, once. */
    ALL,
    /** The shares of the other ranks, once: (n &minus; 1) / n. */
    OTHERS_SHARES,
    /** The shares of the other ranks, to be reduced and as results: 2 (n &minus; 1) / n. */
    TWICE_THE_SHARES;

    /** {@return the part for an operation} */
    public static BusBandwidth of(Operation operation) {
        return switch (operation) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE -> TWICE_THE_SHARES;
            case ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, GATHER, SCATTER -> OTHERS_SHARES;
            case REDUCE, BROADCAST, BARRIER, MONITORED_BARRIER, MESSAGE, NEW_GROUP, COALESCED -> ALL;
        };
    }

    /**
     * {@return the part for an operation by its label, such as {@code all-reduce}; {@link #ALL} for what is no operation, such as a composite
     * call's name}
     */
    public static BusBandwidth of(String label) {
        for (Operation operation : Operation.values()) {
            if (operation.label().equals(label)) {
                return of(operation);
            }
        }
        return ALL;
    }

    /** {@return busbw / algbw in a group of so many ranks: the call's group, which may be smaller than the world} */
    public double factor(int groupSize) {
        return switch (this) {
            case ALL -> 1;
            case OTHERS_SHARES -> (groupSize - 1.0) / groupSize;
            case TWICE_THE_SHARES -> 2.0 * (groupSize - 1) / groupSize;
        };
    }
}

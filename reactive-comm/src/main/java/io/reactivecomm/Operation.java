package io.reactivecomm;

/** The operations of a process group, with the field's names. */
public enum Operation {
    ALL_REDUCE("all-reduce"),
    /** An all-reduce that takes the fewest steps its size allows, rather than the fewest bytes. */
    INFERENCE_ALL_REDUCE("inference all-reduce"),
    REDUCE("reduce"),
    BROADCAST("broadcast"),
    ALL_GATHER("all-gather"),
    REDUCE_SCATTER("reduce-scatter"),
    ALL_TO_ALL("all-to-all"),
    GATHER("gather"),
    SCATTER("scatter"),
    BARRIER("barrier"),
    /** A barrier that tells who did not come. */
    MONITORED_BARRIER("monitored barrier"),
    /** A send and its receive. */
    MESSAGE("message"),
    /** The agreement on a new group. */
    NEW_GROUP("new group"),
    /** Several calls as one. */
    COALESCED("coalesced");

    private final String label;

    Operation(String label) {
        this.label = label;
    }

    /** {@return the name in prose, such as {@code all-reduce}} */
    public String label() {
        return label;
    }

    /** {@return whether it combines elements by a {@link Reduction}} */
    public boolean reduces() {
        return switch (this) {
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

    /**
     * {@return nccl-tests' factor from algorithm bandwidth to bus bandwidth: the part of the whole array that each rank's link must carry at least}
     *
     * <p>The algorithm bandwidth is the size of the array divided by the time. The bus bandwidth, which is this factor times that, compares with the
     * bandwidth of the hardware for any number of ranks.
     *
     * <p><b>Source.</b> NVIDIA, nccl-tests, doc/PERFORMANCE.md, and for gather and scatter its src/gather.cu and src/scatter.cu.
     *
     * @param groupSize the ranks of the call's group, which may be smaller than the world
     */
    public double busFactor(int groupSize) {
        double others = (groupSize - 1.0) / groupSize;
        return switch (this) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE -> 2 * others;
            case ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, GATHER, SCATTER -> others;
            case REDUCE, BROADCAST, BARRIER, MONITORED_BARRIER, MESSAGE, NEW_GROUP, COALESCED -> 1;
        };
    }

    /** {@return {@link #busFactor(int)} of the operation with a label; 1 for other labels, such as a composite call's name} */
    public static double busFactor(String label, int groupSize) {
        for (Operation operation : values()) {
            if (operation.label.equals(label)) {
                return operation.busFactor(groupSize);
            }
        }
        return 1;
    }
}

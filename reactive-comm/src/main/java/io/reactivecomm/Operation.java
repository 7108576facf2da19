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
}

package io.reactivecomm.collective;

/** The operations that cross the wire, with the field's names. */
public enum Operation {
    ALL_REDUCE("all-reduce"),
    REDUCE("reduce"),
    BROADCAST("broadcast"),
    ALL_GATHER("all-gather"),
    REDUCE_SCATTER("reduce-scatter"),
    BARRIER("barrier"),
    /** A send and its receive. */
    MESSAGE("message");

    private final String label;

    Operation(String label) {
        this.label = label;
    }

    /** {@return the name in prose, such as {@code all-reduce}} */
    public String label() {
        return label;
    }
}

package io.reactivecomm.testkit.faults;

/** The moment of a job at which a fault strikes. */
public enum Phase {
    /** The victim and rank 0 have joined; rank 1 has not. */
    RENDEZVOUS("rendezvous"),
    /** All but the victim have begun their first call. */
    FIRST_CALL("first call"),
    /** All-reduces of 16 MiB, one after the other. */
    BULK("bulk"),
    /** Each rank streams tensors of 256 KiB to the next. */
    STREAM("stream"),
    /** All-gathers of objects, one after the other. */
    OBJECT("object"),
    /** Barriers, one after the other. */
    BARRIER("barrier"),
    /** Nothing is called but what tells a rank of its world's end. */
    IDLE("idle"),
    /** The other ranks leave as the fault strikes. */
    CLOSE("close");

    private final String label;

    Phase(String label) {
        this.label = label;
    }

    /** {@return the name in tables} */
    public String label() {
        return label;
    }
}

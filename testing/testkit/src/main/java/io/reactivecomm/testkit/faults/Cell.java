package io.reactivecomm.testkit.faults;

/** A fault in a phase over a transport. */
public record Cell(Fault fault, Phase phase, LinkKind transport) {

    /** {@return the name, such as {@code KILL/BULK/TCP}} */
    public String name() {
        return fault + "/" + phase + "/" + transport;
    }

    @Override
    public String toString() {
        return name();
    }
}

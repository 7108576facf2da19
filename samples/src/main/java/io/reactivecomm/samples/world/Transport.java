package io.reactivecomm.samples.world;

/** Where the ranks of a sample live, and how they are linked. */
public enum Transport {
    /** Threads of this JVM, linked by reference. */
    LOCAL,
    /** Processes of this host, linked by TCP. */
    TCP;

    /** {@return the name as the user writes it} */
    @Override
    public String toString() {
        return Names.of(this);
    }
}

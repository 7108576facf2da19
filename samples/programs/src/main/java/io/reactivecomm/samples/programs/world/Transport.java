package io.reactivecomm.samples.programs.world;

/** The place where the ranks of a sample live, and their links. */
public enum Transport {
    /** Threads of this JVM, linked by reference. */
    LOCAL,
    /** Processes of this host, linked through shared memory. */
    SHM,
    /** Processes of this host, linked by TCP. */
    TCP;

    /** What the environment chooses, as it does for every program that connects, or else TCP: a default for options. */
    public static final String DEFAULT = "${env:RCOMM_TRANSPORT:-tcp}";

    /** What each name means, for the help of options. */
    public static final String MEANINGS = "tcp or shm: a process for each rank; local: threads of one JVM";

    /** {@return the name as the user writes it} */
    @Override
    public String toString() {
        return Names.of(this);
    }
}

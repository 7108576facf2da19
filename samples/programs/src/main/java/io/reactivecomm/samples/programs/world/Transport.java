package io.reactivecomm.samples.programs.world;

import io.reactivecomm.CommConfig;

/** The place where the ranks of a sample live, and their links. */
public enum Transport {
    /** Threads of this JVM, linked by reference. */
    LOCAL,
    /** Processes of this host, linked through shared memory. */
    SHM,
    /** Processes of this host, linked by TCP. */
    TCP,
    /** Processes that the {@code mpirun} of an installed MPI starts, which carries their collectives. */
    MPI;

    /** What the environment chooses, as it does for every program that connects, or else TCP: a default for options. */
    public static final String DEFAULT = "${env:RCOMM_TRANSPORT:-tcp}";

    /** What each name means, for the help of options. */
    public static final String MEANINGS =
            "tcp or shm: a process for each rank; mpi: those, by an installed MPI; local: threads of one JVM";

    /** {@return the configuration of a rank that is linked so} */
    CommConfig in(CommConfig place) {
        return this == MPI ? place.withBackend(toString()) : place.withTransport(toString());
    }

    /** {@return the name as the user writes it} */
    @Override
    public String toString() {
        return Names.of(this);
    }
}

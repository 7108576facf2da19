package io.reactivecomm.mpi;

/** The dialects that the double of MPI is built in. */
enum DoubleDialect {
    OPEN_MPI("mpi-openmpi", "libmpi.so.40", Dialect.OPEN_MPI),
    MPICH("mpi-mpich", "libmpich.so.12", Dialect.MPICH),
    STANDARD("mpi-abi", "libmpi_abi.so.0", Dialect.STANDARD);

    private final String engine;
    private final String file;
    private final Dialect dialect;

    DoubleDialect(String engine, String file, Dialect dialect) {
        this.engine = engine;
        this.file = file;
        this.dialect = dialect;
    }

    /** {@return the name of the engine over it} */
    String engine() {
        return engine;
    }

    /** {@return a name by which {@link MpiLibrary} takes it for that dialect's} */
    String file() {
        return file;
    }

    Dialect dialect() {
        return dialect;
    }
}

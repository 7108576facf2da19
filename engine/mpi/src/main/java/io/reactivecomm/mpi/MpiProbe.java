package io.reactivecomm.mpi;

import java.util.Map;

/**
 * The MPI library as a check of the machine sees it: its name, its version, and its claim about memory of CUDA's devices. MPI is not begun.
 *
 * <p><b>Threads.</b> Any.
 */
public final class MpiProbe {

    private final MpiLibrary library;
    private final MpiSetup setup;

    private MpiProbe(MpiLibrary library) {
        this.library = library;
        setup = new MpiSetup(library);
    }

    /**
     * {@return the library of this process, found as the engine finds it}
     *
     * @throws io.reactivecomm.UnsupportedCollectiveException if no library is found
     */
    public static MpiProbe open(Map<String, String> environment) {
        return new MpiProbe(MpiLibrary.open(environment));
    }

    /** {@return the path or name by which it was loaded} */
    public String name() {
        return library.name();
    }

    /** {@return the first line of its own text about its version} */
    public String version() {
        return setup.version();
    }

    /** {@return whether it says that it takes addresses of CUDA's devices} The claim is not tried out. */
    public boolean claimsCuda() {
        return setup.claimsCuda();
    }
}

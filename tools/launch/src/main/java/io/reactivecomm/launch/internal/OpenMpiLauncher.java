package io.reactivecomm.launch.internal;

import io.reactivecomm.CommConfig;
import io.reactivecomm.spi.rendezvous.Launcher;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the environment of Open MPI's {@code mpirun}, which sets OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE, but no address.
 *
 * <p>The address is MASTER_ADDR ({@code mpirun -x MASTER_ADDR=…}); a job whose ranks are all on this host needs none and gets
 * 127.0.0.1. The port is {@code RCOMM_MASTER_PORT}, else MASTER_PORT, else {@link DerivedPort} of PMIX_NAMESPACE, the job's id.
 *
 * <p>All other variables stay as they are. RANK and WORLD_SIZE, where both are set, win over Open MPI's: a launcher inside the job, or a
 * wrapper script, set them later.
 *
 * <p><b>Source.</b> Open MPI 4.1, mpirun(1), "Environment Variables"; PMIx standard, "PMIX_NAMESPACE".
 */
public final class OpenMpiLauncher implements Launcher {

    private static final String RANK = "OMPI_COMM_WORLD_RANK";
    private static final String SIZE = "OMPI_COMM_WORLD_SIZE";
    private static final String LOCAL_SIZE = "OMPI_COMM_WORLD_LOCAL_SIZE";

    /** For {@link java.util.ServiceLoader}. */
    public OpenMpiLauncher() {}

    @Override
    public String name() {
        return "Open MPI";
    }

    @Override
    public Optional<Map<String, String>> translate(Map<String, String> environment) {
        LauncherEnvironment mpi = new LauncherEnvironment(name(), environment);
        if (!mpi.has(RANK) || mpi.isPlacedAlready()) {
            return Optional.empty();
        }
        String size = mpi.required(SIZE);
        String address =
                mpi.addressAmong(size, LOCAL_SIZE, "name the host of rank 0 with `mpirun -x MASTER_ADDR=HOST`");
        int port = mpi.chosenPort()
                .or(() -> mpi.text("PMIX_NAMESPACE").map(DerivedPort::of))
                .orElse(CommConfig.DEFAULT_PORT);
        return Optional.of(mpi.onHost(
                mpi.place(mpi.required(RANK), size, address, port), "OMPI_COMM_WORLD_LOCAL_RANK", LOCAL_SIZE));
    }
}

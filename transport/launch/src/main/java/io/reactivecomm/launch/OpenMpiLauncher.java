package io.reactivecomm.launch;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.Launcher;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the environment of Open MPI's {@code mpirun}, which sets OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE, but no address.
 *
 * <p>The address is MASTER_ADDR ({@code mpirun -x MASTER_ADDR=…}); a job whose ranks are all on this host needs none and gets
 * 127.0.0.1. The port is {@code RCOMM_MASTER_PORT}, else MASTER_PORT, else one derived from PMIX_NAMESPACE, the job's id: the same for
 * all ranks of a job, and another for two jobs on one host in all but one of {@value #PORTS} cases. Where it is taken, rank 0's error
 * says so, and MASTER_PORT settles it.
 *
 * <p>All other variables stay as they are.
 *
 * <p>RANK and WORLD_SIZE, where both are set, win over Open MPI's: a launcher inside the job, or a wrapper script, set them later.
 *
 * <p><b>Source.</b> Open MPI 4.1, mpirun(1), "Environment Variables"; PMIx standard, "PMIX_NAMESPACE".
 */
public final class OpenMpiLauncher implements Launcher {

    /** Below 32768, where Linux starts to give ports to outgoing connections, and clear of 29500, torch.distributed's. */
    static final int FIRST_PORT = 20_000;

    /** A power of two, so that the hash's upper bits choose without a bias. */
    static final int PORTS = 8192;

    private static final int PORT_BITS = Integer.numberOfTrailingZeros(PORTS);

    @Override
    public String name() {
        return "Open MPI";
    }

    @Override
    public Optional<Map<String, String>> translate(Map<String, String> environment) {
        LauncherEnvironment mpi = new LauncherEnvironment(name(), environment);
        if (!mpi.has("OMPI_COMM_WORLD_RANK") || (mpi.has("RANK") && mpi.has("WORLD_SIZE"))) {
            return Optional.empty();
        }
        Map<String, String> place = new HashMap<>(environment);
        place.put("RANK", mpi.required("OMPI_COMM_WORLD_RANK"));
        place.put("WORLD_SIZE", mpi.required("OMPI_COMM_WORLD_SIZE"));
        place.put("MASTER_ADDR", address(mpi));
        place.put("MASTER_PORT", Integer.toString(storePort(mpi)));
        return Optional.of(Map.copyOf(place));
    }

    private static String address(LauncherEnvironment mpi) {
        return mpi.text("MASTER_ADDR").orElseGet(() -> {
            String size = mpi.required("OMPI_COMM_WORLD_SIZE");
            String localSize = mpi.text("OMPI_COMM_WORLD_LOCAL_SIZE").orElse("unknown");
            if (!localSize.equals(size)) {
                throw new RendezvousException("cannot tell where rank 0 is: MASTER_ADDR is not set, ranks=" + size
                        + ", ranks on this host=" + localSize
                        + "; name the host of rank 0 with `mpirun -x MASTER_ADDR=HOST`");
            }
            return "127.0.0.1";
        });
    }

    private static int storePort(LauncherEnvironment mpi) {
        return mpi.port(LauncherEnvironment.STORE_PORT)
                .or(() -> mpi.port("MASTER_PORT"))
                .or(() -> mpi.text("PMIX_NAMESPACE").map(OpenMpiLauncher::derivedPort))
                .orElse(CommConfig.DEFAULT_PORT);
    }

    /** FNV-1a, then the upper bits of a multiplicative hash: job ids of one host differ in few bits, which both spread. */
    static int derivedPort(String namespace) {
        int hash = 0x811C9DC5;
        for (int i = 0; i < namespace.length(); i++) {
            hash = (hash ^ namespace.charAt(i)) * 0x01000193;
        }
        return FIRST_PORT + ((hash * 0x9E3779B9) >>> (Integer.SIZE - PORT_BITS));
    }
}

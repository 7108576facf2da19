package io.reactivecomm.launch.internal;

import io.reactivecomm.CommConfig;
import io.reactivecomm.spi.rendezvous.Launcher;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the environment of MPICH's {@code mpiexec} (hydra), Intel MPI and MVAPICH, which set PMI_RANK and PMI_SIZE, but no
 * address.
 *
 * <p>The address is MASTER_ADDR ({@code mpiexec -genv MASTER_ADDR …}); a job whose ranks are all on this host, by MPI_LOCALNRANKS, needs
 * none and gets 127.0.0.1. The port is {@code RCOMM_MASTER_PORT}, else MASTER_PORT, else torch.distributed's 29500. Hydra tells its
 * processes no id of the job, so two jobs at a time on one host need a MASTER_PORT each.
 *
 * <p>Slurm's PMI-2 plugin sets PMI_RANK too. There {@link SlurmLauncher} knows more, so this leaves the process to it: it is recognised
 * by a step's id together with the absence of MPI_LOCALRANKID, which hydra always sets.
 *
 * <p>All other variables stay as they are. RANK and WORLD_SIZE, where both are set, win.
 *
 * <p><b>Source.</b> MPICH 4.0, {@code mpiexec -n 2 env}; Slurm's pmi2 plugin.
 */
public final class MpichLauncher implements Launcher {

    private static final String RANK = "PMI_RANK";

    /** For {@link java.util.ServiceLoader}. */
    public MpichLauncher() {}

    @Override
    public String name() {
        return "MPICH";
    }

    @Override
    public Optional<Map<String, String>> translate(Map<String, String> environment) {
        LauncherEnvironment mpi = new LauncherEnvironment(name(), environment);
        boolean startedBySlurm = mpi.has(SlurmLauncher.STEP) && !mpi.has("MPI_LOCALRANKID");
        if (!mpi.has(RANK) || startedBySlurm || mpi.isPlacedAlready()) {
            return Optional.empty();
        }
        String size = mpi.required("PMI_SIZE");
        String address = mpi.addressAmong(
                size, "MPI_LOCALNRANKS", "name the host of rank 0 with `mpiexec -genv MASTER_ADDR HOST`");
        int port = mpi.chosenPort().orElse(CommConfig.DEFAULT_PORT);
        return Optional.of(
                mpi.onHost(mpi.place(mpi.required(RANK), size, address, port), "MPI_LOCALRANKID", "MPI_LOCALNRANKS"));
    }
}

package io.reactivecomm.launch.internal;

import io.reactivecomm.CommConfig;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.spi.rendezvous.Launcher;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the environment of Slurm's {@code srun}, which sets SLURM_PROCID, SLURM_NTASKS and the list of nodes.
 *
 * <p>The address is MASTER_ADDR, else the first node of SLURM_STEP_NODELIST, SLURM_JOB_NODELIST or SLURM_NODELIST, where Slurm puts
 * task 0 unless the distribution is arbitrary; on one node it is 127.0.0.1. The port is {@code RCOMM_MASTER_PORT}, else MASTER_PORT,
 * else {@link DerivedPort} of the job's and the step's id, so that the steps of a job do not meet each other.
 *
 * <p>A step's own number of tasks wins over the job's: {@code srun -n 2} inside an allocation of eight tasks starts a world of two.
 *
 * <p>All other variables stay as they are. RANK and WORLD_SIZE, where both are set, win.
 *
 * <p><b>Source.</b> srun(1), "OUTPUT ENVIRONMENT VARIABLES".
 */
public final class SlurmLauncher implements Launcher {

    /** Counts a job's calls of srun. */
    static final String STEP = "SLURM_STEP_ID";

    private static final String RANK = "SLURM_PROCID";

    /** Slurm has a list of all nodes' numbers of tasks instead. */
    private static final String NO_SIZE = "";

    /** For {@link java.util.ServiceLoader}. */
    public SlurmLauncher() {}

    @Override
    public String name() {
        return "Slurm";
    }

    @Override
    public Optional<Map<String, String>> translate(Map<String, String> environment) {
        LauncherEnvironment slurm = new LauncherEnvironment(name(), environment);
        if (!slurm.has(RANK) || slurm.isPlacedAlready()) {
            return Optional.empty();
        }
        String size = slurm.firstOf("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS");
        int port = slurm.chosenPort().or(() -> jobsPort(slurm)).orElse(CommConfig.DEFAULT_PORT);
        Map<String, String> place = slurm.place(slurm.required(RANK), size, address(slurm, size), port);
        return Optional.of(slurm.onHost(place, "SLURM_LOCALID", NO_SIZE));
    }

    private static Optional<Integer> jobsPort(LauncherEnvironment slurm) {
        String step = slurm.text(STEP).orElse("");
        return slurm.text("SLURM_JOB_ID")
                .or(() -> slurm.text("SLURM_JOBID"))
                .map(job -> DerivedPort.of(job + "." + step));
    }

    private static String address(LauncherEnvironment slurm, String size) {
        return slurm.text("MASTER_ADDR").orElseGet(() -> {
            if (size.equals("1")) {
                return StoreAddress.LOOPBACK;
            }
            String list = slurm.firstOf("SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST");
            List<String> nodes = SlurmNodeList.parse(list);
            return nodes.size() == 1 ? StoreAddress.LOOPBACK : nodes.getFirst();
        });
    }
}

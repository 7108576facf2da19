package io.reactivecomm;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Launchers whose own variables say where a process stands, which the launch module reads: without it nobody does. */
final class ForeignLauncher {

    /** By a variable that no process has but those that it started; the innermost first. */
    private static final Map<String, String> LAUNCHERS = new LinkedHashMap<>();

    static {
        LAUNCHERS.put("OMPI_COMM_WORLD_RANK", "Open MPI's mpirun");
        LAUNCHERS.put("PMI_RANK", "MPICH's mpiexec");
        LAUNCHERS.put("PMIX_RANK", "a launcher that speaks PMIx");
        LAUNCHERS.put("SLURM_PROCID", "Slurm's srun");
        LAUNCHERS.put("PET_NODE_RANK", "Kubeflow Trainer");
        LAUNCHERS.put("JOB_COMPLETION_INDEX", "a Kubernetes Indexed Job");
        LAUNCHERS.put("SM_CURRENT_HOST", "SageMaker");
    }

    private ForeignLauncher() {}

    /** {@return what to do where such a one has started this process and a variable of ours is missing} */
    static Optional<String> remedy(Map<String, String> environment) {
        return LAUNCHERS.entrySet().stream()
                .filter(launcher -> environment.containsKey(launcher.getKey()))
                .findFirst()
                .map(launcher -> ", startedBy=" + launcher.getValue() + " (" + launcher.getKey()
                        + " is set); its variables are read by the module reactive-comm-launch, for ReactiveComm.connect(): add it to the"
                        + " class path, or set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT");
    }
}

package io.reactivecomm.launch.internal;

import io.reactivecomm.CommConfig;
import io.reactivecomm.spi.rendezvous.Launcher;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the environment of a pod of Kubeflow Trainer v2's torch policy, which sets PET_NNODES, PET_NODE_RANK, PET_NPROC_PER_NODE, PET_MASTER_ADDR and
 * PET_MASTER_PORT for torchrun.
 *
 * <p>Trainer starts one command in each pod. A program that is that command is the pod's only rank: {@link NodeRanks} says what follows from
 * PET_NPROC_PER_NODE, and how a script starts several. The port is {@code RCOMM_MASTER_PORT}, else MASTER_PORT, else PET_MASTER_PORT.
 *
 * <p>All other variables stay as they are. RANK and WORLD_SIZE, where both are set, win: torchrun and Trainer v1 set them.
 *
 * <p><b>Source.</b> Kubeflow Trainer v2, torch runtime policy; torchrun, "PET_" variables.
 */
public final class KubeflowLauncher implements Launcher {

    private static final String NODE = "PET_NODE_RANK";
    private static final String RANKS_PER_NODE = "PET_NPROC_PER_NODE";

    /** For {@link java.util.ServiceLoader}. */
    public KubeflowLauncher() {}

    @Override
    public String name() {
        return "Kubeflow Trainer";
    }

    @Override
    public Optional<Map<String, String>> translate(Map<String, String> environment) {
        LauncherEnvironment pod = new LauncherEnvironment(name(), environment);
        if (!pod.has(NODE) || !pod.has("PET_NNODES") || pod.isPlacedAlready()) {
            return Optional.empty();
        }
        NodeRanks ranks = NodeRanks.of(pod, pod.number(NODE), pod.number("PET_NNODES"), RANKS_PER_NODE);
        int port = pod.chosenPort().or(() -> pod.port("PET_MASTER_PORT")).orElse(CommConfig.DEFAULT_PORT);
        return Optional.of(ranks.place(pod, pod.firstOf("MASTER_ADDR", "PET_MASTER_ADDR"), port));
    }
}

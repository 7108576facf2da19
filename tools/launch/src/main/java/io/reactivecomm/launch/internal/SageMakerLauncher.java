package io.reactivecomm.launch.internal;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.rendezvous.Launcher;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Reads the environment of a SageMaker training container, which sets SM_HOSTS, a JSON list of names, SM_CURRENT_HOST and SM_NUM_GPUS.
 *
 * <p>SageMaker starts one command on each host, which is then the host's only rank. A script that starts several sets LOCAL_RANK for each, from 0 to
 * SM_NUM_GPUS − 1. Rank 0 is on the first host of the list. The port is {@code RCOMM_MASTER_PORT}, else MASTER_PORT, else 29500.
 *
 * <p>All other variables stay as they are. RANK and WORLD_SIZE, where both are set, win, as do those of MPI, which SageMaker starts if asked.
 *
 * <p><b>Source.</b> SageMaker Training Toolkit, "Environment variables".
 */
public final class SageMakerLauncher implements Launcher {

    private static final String HOST = "SM_CURRENT_HOST";
    private static final String HOSTS = "SM_HOSTS";
    private static final Pattern NAME = Pattern.compile("\"([^\"]+)\"");

    /** For {@link java.util.ServiceLoader}. */
    public SageMakerLauncher() {}

    @Override
    public String name() {
        return "SageMaker";
    }

    @Override
    public Optional<Map<String, String>> translate(Map<String, String> environment) {
        LauncherEnvironment container = new LauncherEnvironment(name(), environment);
        if (!container.has(HOST) || !container.has(HOSTS) || container.isPlacedAlready()) {
            return Optional.empty();
        }
        String list = container.required(HOSTS);
        List<String> hosts = NAME.matcher(list)
                .results()
                .map((MatchResult name) -> name.group(1))
                .toList();
        int host = hosts.indexOf(container.required(HOST));
        if (host < 0) {
            throw new RendezvousException("SageMaker's list of hosts lacks this one: " + HOSTS + "=" + list + ", "
                    + HOST + "=" + container.required(HOST)
                    + "; leave both as SageMaker sets them, or set RANK and WORLD_SIZE");
        }
        NodeRanks ranks = container.has("LOCAL_RANK")
                ? NodeRanks.of(container, host, hosts.size(), "SM_NUM_GPUS")
                : new NodeRanks(host, hosts.size(), 0, 1);
        return Optional.of(ranks.place(
                container,
                container.text("MASTER_ADDR").orElse(hosts.getFirst()),
                container.chosenPort().orElse(CommConfig.DEFAULT_PORT)));
    }
}

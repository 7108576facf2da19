package io.reactivecomm.launch.internal;

import io.reactivecomm.CommConfig;
import io.reactivecomm.spi.rendezvous.Launcher;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the environment of torchrun (torch.distributed.elastic), which sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT.
 *
 * <p>With {@code TORCHELASTIC_USE_AGENT_STORE=True} torchrun's agent listens on MASTER_PORT itself, with a protocol of its own. The
 * store then takes the port after it, or {@code RCOMM_MASTER_PORT} if that is set.
 *
 * <p>All other variables stay as they are.
 *
 * <p><b>Source.</b> torch.distributed.elastic, "Environment variables"; seen with {@code torchrun --no-python}.
 */
public final class TorchrunLauncher implements Launcher {

    private static final String JOB = "TORCHELASTIC_RUN_ID";
    private static final String AGENT_STORE = "TORCHELASTIC_USE_AGENT_STORE";
    private static final int LAST_PORT = 65535;

    @Override
    public String name() {
        return "torchrun";
    }

    @Override
    public Optional<Map<String, String>> translate(Map<String, String> environment) {
        LauncherEnvironment torchrun = new LauncherEnvironment(name(), environment);
        if (!torchrun.has(JOB)) {
            return Optional.empty();
        }
        List.of("RANK", "WORLD_SIZE", "MASTER_ADDR").forEach(torchrun::required);
        Map<String, String> place = new HashMap<>(environment);
        place.put("MASTER_PORT", Integer.toString(storePort(torchrun)));
        return Optional.of(Map.copyOf(place));
    }

    private static int storePort(LauncherEnvironment torchrun) {
        return torchrun.port(LauncherEnvironment.STORE_PORT).orElseGet(() -> {
            int port = torchrun.port("MASTER_PORT").orElse(CommConfig.DEFAULT_PORT);
            return agentListens(torchrun) ? neighbour(port) : port;
        });
    }

    private static boolean agentListens(LauncherEnvironment torchrun) {
        return torchrun.text(AGENT_STORE).map(Boolean::parseBoolean).orElse(false);
    }

    private static int neighbour(int port) {
        return port < LAST_PORT ? port + 1 : port - 1;
    }
}

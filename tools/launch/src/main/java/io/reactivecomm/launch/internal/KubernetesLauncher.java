package io.reactivecomm.launch.internal;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.spi.rendezvous.Launcher;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the environment of a pod of a Kubernetes Indexed Job, to which Kubernetes itself tells one thing: JOB_COMPLETION_INDEX, the rank.
 *
 * <p>The rest comes from the pod's template. WORLD_SIZE is the job's {@code completions}, which no field of the downward API holds.
 * MASTER_ADDR is the name of pod 0, {@code JOB-0.SUBDOMAIN}, which resolves only with a headless Service of that {@code subdomain}; a
 * world of one needs none. The port is {@code RCOMM_MASTER_PORT}, else MASTER_PORT, else 29500, which no other pod can take.
 *
 * <p>All other variables stay as they are. RANK, where it is set, wins.
 *
 * <p><b>Source.</b> Kubernetes, "Indexed Job for Parallel Processing" and "Job with Pod-to-Pod Communication".
 */
public final class KubernetesLauncher implements Launcher {

    private static final String RANK = "JOB_COMPLETION_INDEX";

    /** For {@link java.util.ServiceLoader}. */
    public KubernetesLauncher() {}

    @Override
    public String name() {
        return "Kubernetes";
    }

    @Override
    public Optional<Map<String, String>> translate(Map<String, String> environment) {
        LauncherEnvironment pod = new LauncherEnvironment(name(), environment);
        if (!pod.has(RANK) || pod.has("RANK")) {
            return Optional.empty();
        }
        String rank = pod.required(RANK);
        String size = pod.text("WORLD_SIZE")
                .orElseThrow(() -> new RendezvousException(
                        "Kubernetes does not tell a pod how many there are: WORLD_SIZE is not set, " + RANK + "=" + rank
                                + "; set WORLD_SIZE in the pod's template to the job's completions"));
        int port = pod.chosenPort().orElse(CommConfig.DEFAULT_PORT);
        return Optional.of(pod.place(rank, size, address(pod, rank, size), port));
    }

    private static String address(LauncherEnvironment pod, String rank, String size) {
        return pod.text("MASTER_ADDR").orElseGet(() -> {
            if (size.equals("1")) {
                return StoreAddress.LOOPBACK;
            }
            throw new RendezvousException("cannot tell where rank 0 is: MASTER_ADDR is not set, " + RANK + "=" + rank
                    + ", WORLD_SIZE=" + size + "; give the pods a headless Service and its name as subdomain, and set"
                    + " MASTER_ADDR to " + firstPod(pod, rank) + ".SUBDOMAIN");
        });
    }

    /** {@return pod 0's host name, told from this one's, {@code JOB-INDEX}} */
    private static String firstPod(LauncherEnvironment pod, String rank) {
        return pod.text("HOSTNAME")
                .filter(name -> name.endsWith("-" + rank))
                .map(name -> name.substring(0, name.length() - rank.length()) + "0")
                .orElse("JOB-0");
    }
}

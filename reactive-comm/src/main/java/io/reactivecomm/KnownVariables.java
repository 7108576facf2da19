package io.reactivecomm;

import io.reactivecomm.internal.base.Spelling;
import io.reactivecomm.internal.base.Warnings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.slf4j.Logger;

/**
 * The environment variables of this project: whatever else begins as they do is most likely one of them, misspelt, and without effect.
 *
 * <p>Every one that code or documentation names is here, be it read by a module, by the {@code rcomm} command or by its samples.
 */
final class KnownVariables {

    private static final Logger LOG = Warnings.of(KnownVariables.class);

    private static final String PREFIX = "RCOMM_";

    static final List<String> NAMES = List.of(
            "RCOMM_ALGORITHMS",
            "RCOMM_BACKEND",
            "RCOMM_BITS",
            "RCOMM_CALL_SITES",
            "RCOMM_COMMS_LOG",
            "RCOMM_CONFIG",
            "RCOMM_CONGESTION",
            "RCOMM_CUDA_DEVICE",
            "RCOMM_DUMP",
            "RCOMM_HEARTBEAT_MILLIS",
            "RCOMM_HOST_ID",
            "RCOMM_INTERFACE",
            "RCOMM_JAVA_HOME",
            "RCOMM_JAVA_OPTS",
            "RCOMM_LANES",
            "RCOMM_LEAKS",
            "RCOMM_LISTEN",
            "RCOMM_LOG",
            "RCOMM_MASTER_PORT",
            "RCOMM_MPIRUN",
            "RCOMM_MPI_CUDA",
            "RCOMM_MPI_LIBRARY",
            "RCOMM_MPJ_JARS",
            "RCOMM_NCCL_LIBRARY",
            "RCOMM_NCCL_REGISTER_BYTES",
            "RCOMM_OBJECT_BYTES",
            "RCOMM_OFF",
            "RCOMM_PLAINTEXT",
            "RCOMM_RENDEZVOUS_TIMEOUT_SECONDS",
            "RCOMM_SAMPLE_LAUNCHER",
            "RCOMM_SAMPLE_PROGRESS",
            "RCOMM_SILENCE_MILLIS",
            "RCOMM_STORE_HOSTED",
            "RCOMM_TIMELINE",
            "RCOMM_TIMEOUT_SECONDS",
            "RCOMM_TLS",
            "RCOMM_TOKEN",
            "RCOMM_TOKEN_FILE",
            "RCOMM_TRANSPORT",
            "RCOMM_WAITING");

    /** Variables of torch.distributed that this project reads under their original names. */
    private static final Set<String> OTHERS = Set.of("MASTER_ADDR", "RANK", "WORLD_SIZE");

    /** Variables that are read before a file can be: by the script that starts the JVM, by its log, by commands, and by a launcher's ranks. */
    private static final Set<String> ENVIRONMENT_ALONE = Set.of(
            ConfigFile.VARIABLE,
            "RCOMM_JAVA_HOME",
            "RCOMM_JAVA_OPTS",
            "RCOMM_LOG",
            "RCOMM_MPIRUN",
            "RCOMM_MPJ_JARS",
            "RCOMM_SAMPLE_LAUNCHER",
            "RCOMM_SAMPLE_PROGRESS");

    /** Settings that no configuration carries: of the watch over tensors, of the address for an all-gather, and of engines. */
    private static final Pattern PROCESS = Pattern.compile("RCOMM_(LEAKS|LISTEN|CUDA_.*|MPI_.*|NCCL_.*)");

    private static final Set<String> SWITCHES =
            Set.of("RCOMM_CALL_SITES", "RCOMM_COMMS_LOG", "RCOMM_PLAINTEXT", "RCOMM_STORE_HOSTED", "RCOMM_TOKEN_FILE");

    /** A unit at the end of a name, which users easily leave out or confuse. */
    private static final Pattern UNIT =
            Pattern.compile("_(SECONDS?|SECS?|S|MILLIS|MS|MINUTES|BYTES|KB|MB|GB|MIB|GIB)$");

    private static final AtomicBoolean SAID = new AtomicBoolean();

    private KnownVariables() {}

    /** Warns of others, once a process. */
    static void check(Map<String, String> environment) {
        List<String> warnings = warnings(environment);
        if (!warnings.isEmpty() && SAID.compareAndSet(false, true)) {
            warnings.forEach(LOG::warn);
        }
    }

    /** {@return a sentence for each variable that is not known, in order} */
    static List<String> warnings(Map<String, String> environment) {
        List<String> warnings = new ArrayList<>();
        for (String name : new TreeSet<>(environment.keySet())) {
            if (name.startsWith(PREFIX) && !NAMES.contains(name)) {
                warnings.add("an environment variable has no effect: " + name
                        + " is not known; the nearest known name is " + nearest(name));
            }
        }
        return warnings;
    }

    /** {@return whether launchers give that variable to processes, each its own or all the same} */
    static boolean isOfLauncher(String name) {
        return OTHERS.contains(name) || name.equals("MASTER_PORT") || HostPlace.VARIABLES.contains(name);
    }

    /** {@return whether a file of settings cannot have that variable} */
    static boolean isOfEnvironmentAlone(String name) {
        return ENVIRONMENT_ALONE.contains(name);
    }

    /** {@return whether a setting is the process's, and not a configuration's} */
    static boolean isOfProcess(String name) {
        return PROCESS.matcher(name).matches();
    }

    /** {@return whether a setting is true or false} */
    static boolean isSwitch(String name) {
        return SWITCHES.contains(name);
    }

    /** {@return the known name that was probably meant; its beginning may be missing, and its letters may be small} */
    static String nearest(String text) {
        String upper = text.strip().toUpperCase(Locale.ROOT);
        String name = upper.startsWith(PREFIX) ? upper : PREFIX + upper;
        String alone = name.substring(PREFIX.length());
        if (OTHERS.contains(alone)) {
            return alone;
        }
        String nearest = NAMES.getFirst();
        for (String known : NAMES) {
            if (distance(name, known) < distance(name, nearest)) {
                nearest = known;
            }
        }
        return nearest;
    }

    /** {@return the distance of two names: smallest if they differ only by the unit, then if one begins or ends with the other, else by letters} */
    private static int distance(String name, String known) {
        String stem = UNIT.matcher(name).replaceFirst("");
        if (stem.equals(UNIT.matcher(known).replaceFirst(""))) {
            return 0;
        }
        boolean isPart = known.startsWith(stem + "_") || known.endsWith("_" + stem.substring(PREFIX.length()));
        return isPart ? 1 : Spelling.distance(name, known);
    }
}

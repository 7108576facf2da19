package io.reactivecomm;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The environment variables of this project: whatever else begins as they do is most likely one of them, misspelt, and without effect.
 *
 * <p>Every one that code or documentation names is here, be it read by a module, by the {@code rcomm} command or by its samples.
 */
final class KnownVariables {

    private static final Logger LOG = LoggerFactory.getLogger(KnownVariables.class);

    private static final String PREFIX = "RCOMM_";

    static final List<String> NAMES = List.of(
            "RCOMM_ALGORITHMS",
            "RCOMM_BACKEND",
            "RCOMM_BITS",
            "RCOMM_CALL_SITES",
            "RCOMM_COMMS_LOG",
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
            "RCOMM_TOKEN",
            "RCOMM_TOKEN_FILE",
            "RCOMM_TRANSPORT",
            "RCOMM_WAITING");

    /** Variables of torch.distributed that this project reads under their original names. */
    private static final Set<String> OTHERS = Set.of("MASTER_ADDR", "RANK", "WORLD_SIZE");

    /** A unit at the end of a name, which users easily leave out or confuse. */
    private static final Pattern UNIT = Pattern.compile("_(SECONDS?|SECS?|S|MILLIS|MS|MINUTES|BYTES|KB|MB|GB|MIB|GIB)$");

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
                warnings.add("an environment variable has no effect: " + name + " is not known; the nearest known name is " + nearest(name));
            }
        }
        return warnings;
    }

    private static String nearest(String name) {
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
        return isPart ? 1 : letters(name, known);
    }

    /** {@return how many letters are to be put in, left out or exchanged: Levenshtein's distance, by its table's rows} */
    private static int letters(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int column = 0; column <= other.length(); column++) {
            row[column] = column;
        }
        for (int line = 1; line <= one.length(); line++) {
            int diagonal = row[0];
            row[0] = line;
            for (int column = 1; column <= other.length(); column++) {
                int above = row[column];
                int exchanged = diagonal + (one.charAt(line - 1) == other.charAt(column - 1) ? 0 : 1);
                row[column] = Math.min(exchanged, 1 + Math.min(above, row[column - 1]));
                diagonal = above;
            }
        }
        return row[other.length()];
    }
}

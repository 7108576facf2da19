package io.reactivecomm.rcomm.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The time of the machine's CPUs that went to others, as Linux tells in {@code /proc/stat}: a measurement beside that is worth little.
 *
 * @param niced ticks spent on niced programs, over all CPUs: batch work of others usually is niced; our own programs are not, unless the
 *     command itself is run with {@code nice}
 * @param stolen ticks in which a virtual machine wanted to run and its host ran another, over all CPUs
 * @param all ticks passed, over all CPUs
 * @param cpus how many there are
 */
public record ForeignLoad(long niced, long stolen, long all, int cpus) {

    /** Above this share of one CPU a measurement had better be repeated. */
    private static final double TOLERABLE = 0.10;

    private static final Path STAT = Path.of("/proc/stat");

    /** user, nice, system, idle, iowait, irq, softirq, steal; what follows is counted in the first two already. */
    private static final int NUMBERS = 8;

    private static final int NICED = 1;
    private static final int STOLEN = 7;

    private static final ForeignLoad UNKNOWN = new ForeignLoad(0, 0, 0, 0);

    /** {@return the state as it is now; where nothing tells, one that shows no load} */
    public static ForeignLoad now() {
        try {
            return parse(Files.readAllLines(STAT));
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    /** {@return the state that these lines of {@code /proc/stat} tell} */
    static ForeignLoad parse(List<String> lines) {
        int cpus =
                (int) lines.stream().filter(line -> line.matches("cpu\\d+ .*")).count();
        return lines.stream()
                .filter(line -> line.startsWith("cpu "))
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length > NUMBERS)
                .findFirst()
                .map(words -> {
                    long all = 0;
                    for (int i = 0; i < NUMBERS; i++) {
                        all += number(words, i);
                    }
                    return new ForeignLoad(number(words, NICED), number(words, STOLEN), all, cpus);
                })
                .orElse(UNKNOWN);
    }

    private static long number(String[] words, int at) {
        return Long.parseLong(words[1 + at]);
    }

    /** {@return a sentence for each of the others that had too much from then until this state; none if that is not known} */
    public List<String> complaintsSince(ForeignLoad before) {
        List<String> complaints = new ArrayList<>();
        complain("others' niced programs", share(niced - before.niced, before), complaints);
        complain("other virtual machines", share(stolen - before.stolen, before), complaints);
        return complaints;
    }

    /** Of one CPU: 1 is one whole. */
    private double share(long ticks, ForeignLoad before) {
        long passed = all - before.all;
        return passed <= 0 ? 0 : (double) ticks / passed * cpus;
    }

    private static void complain(String who, double share, List<String> complaints) {
        if (share > TOLERABLE) {
            complaints.add(String.format(
                    Locale.ROOT, "%s took %.0f%% of a CPU meanwhile; better measure again", who, 100 * share));
        }
    }
}

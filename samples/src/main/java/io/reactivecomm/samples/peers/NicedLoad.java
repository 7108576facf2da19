package io.reactivecomm.samples.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;

/**
 * How much time the machine's CPUs have spent on niced programs, as Linux tells in {@code /proc/stat}. Batch work of others usually is
 * niced; a measurement beside it is worth little. Our own programs are not, unless the command itself is run with {@code nice}.
 *
 * @param niced ticks spent on niced programs, over all CPUs
 * @param all ticks passed, over all CPUs
 * @param cpus how many there are
 */
public record NicedLoad(long niced, long all, int cpus) {

    /** Above this share of one CPU a measurement had better be repeated. */
    public static final double TOLERABLE = 0.10;

    private static final Path STAT = Path.of("/proc/stat");

    /** The time of niced programs is the second of the numbers. */
    private static final int NICED = 1;

    /** user, nice, system, idle, iowait, irq, softirq, steal; what follows is counted in the first two already. */
    private static final int NUMBERS = 8;

    private static final NicedLoad UNKNOWN = new NicedLoad(0, 0, 0);

    /** {@return the state as it is now; where nothing tells, one that shows no load} */
    public static NicedLoad now() {
        try {
            return parse(Files.readAllLines(STAT));
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    /** {@return the state that these lines of {@code /proc/stat} tell} */
    static NicedLoad parse(List<String> lines) {
        int cpus = (int) lines.stream().filter(line -> line.matches("cpu\\d+ .*")).count();
        return lines.stream()
                .filter(line -> line.startsWith("cpu "))
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length > NUMBERS)
                .findFirst()
                .map(words -> {
                    long all = 0;
                    for (int i = 1; i <= NUMBERS; i++) {
                        all += Long.parseLong(words[i]);
                    }
                    return new NicedLoad(Long.parseLong(words[1 + NICED]), all, cpus);
                })
                .orElse(UNKNOWN);
    }

    /** {@return what share of one CPU niced programs had from then until this state: 1 is one whole CPU; nothing if that is not known} */
    public OptionalDouble shareSince(NicedLoad before) {
        long passed = all - before.all;
        return passed <= 0 || cpus == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) (niced - before.niced) / passed * cpus);
    }
}

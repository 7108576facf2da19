package io.reactivecomm.samples.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;

/**
 * How much time of the machine's CPUs went to others, as Linux tells in {@code /proc/stat}: a measurement beside that is worth little.
 *
 * @param niced ticks spent on niced programs, over all CPUs: batch work of others usually is niced; our own programs are not, unless the
 *     command itself is run with {@code nice}
 * @param stolen ticks in which a virtual machine wanted to run and its host ran another, over all CPUs
 * @param all ticks passed, over all CPUs
 * @param cpus how many there are
 */
public record ForeignLoad(long niced, long stolen, long all, int cpus) {

    /** Above this share of one CPU a measurement had better be repeated. */
    public static final double TOLERABLE = 0.10;

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
        int cpus = (int) lines.stream().filter(line -> line.matches("cpu\\d+ .*")).count();
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

    /** {@return what share of one CPU niced programs had from then until this state: 1 is one whole CPU; nothing if that is not known} */
    public OptionalDouble nicedSince(ForeignLoad before) {
        return share(niced - before.niced, before);
    }

    /** {@return what share of one CPU the host took from then until this state; nothing if that is not known} */
    public OptionalDouble stolenSince(ForeignLoad before) {
        return share(stolen - before.stolen, before);
    }

    private OptionalDouble share(long ticks, ForeignLoad before) {
        long passed = all - before.all;
        return passed <= 0 || cpus == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) ticks / passed * cpus);
    }
}

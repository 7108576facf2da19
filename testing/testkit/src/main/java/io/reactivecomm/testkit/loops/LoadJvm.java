package io.reactivecomm.testkit.loops;

import io.reactivecomm.spi.RankJvmOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link LoadProgram} in a new JVM, which has loaded and compiled nothing. It is ended by its own handle. */
public final class LoadJvm {

    /** What lets the watch see which tasks a thread takes. */
    static final String OPENS = "--add-opens=java.base/java.lang=ALL-UNNAMED";

    private static final List<String> OF_TESTS = List.of("-XX:TieredStopAtLevel", "-XX:+UseSerialGC");

    private static final int RUNS = 3;
    private static final long BOUND_SECONDS = 300;

    private LoadJvm() {}

    /**
     * {@return what held a loop for that long, each time of three}
     * What the library does takes its time each time; what the machine adds, a cache that others have emptied say, does not.
     *
     * @param transport by which the ranks are connected, or {@code local}, or {@code local:} and a choice of engines
     * @param loads what they do, in that order
     */
    public static List<LongestHold> heldFor(double millis, String transport, List<LoopLoad> loads)
            throws IOException, InterruptedException {
        List<LongestHold> each = longest(transport, loads).stream()
                .filter(held -> held.millis() >= millis)
                .toList();
        for (int run = 1; run < RUNS && !each.isEmpty(); run++) {
            List<String> again = longest(transport, loads).stream()
                    .filter(held -> held.millis() >= millis)
                    .map(LongestHold::load)
                    .toList();
            each = each.stream().filter(held -> again.contains(held.load())).toList();
        }
        return each;
    }

    /** {@return the longest stretch of each load, and of connecting and closing} */
    public static List<LongestHold> longest(String transport, List<LoopLoad> loads)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--add-modules=jdk.incubator.vector",
                OPENS,
                // Where the machine is busy compilers come late, and a loop would interpret what else is compiled by
                // then.
                "-Xbatch",
                "-Xmx1g"));
        // Users' JVMs are looked for what holds a loop, with the compilers and the collector that those have; tests may
        // have others.
        command.addAll(RankJvmOptions.inherited().stream()
                .filter(flag -> flag.startsWith("-XX:") && OF_TESTS.stream().noneMatch(flag::startsWith))
                .toList());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), LoadProgram.class.getName(), transport));
        loads.forEach(load -> command.add(load.name()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        // Also while it says nothing, and this thread waits for a line.
        process.onExit()
                .orTimeout(BOUND_SECONDS, TimeUnit.SECONDS)
                .whenComplete((ended, late) -> process.destroyForcibly());
        try {
            return read(process);
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<LongestHold> read(Process process) throws IOException, InterruptedException {
        List<LongestHold> found = new ArrayList<>();
        StringBuilder rest = new StringBuilder();
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                LongestHold held = LongestHold.parse(line);
                if (held != null) {
                    found.add(held);
                } else {
                    rest.append(line).append('\n');
                }
            }
        }
        if (!process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IllegalStateException(
                    "the program failed, or took longer than " + BOUND_SECONDS + " s: output=" + rest);
        }
        return found;
    }
}

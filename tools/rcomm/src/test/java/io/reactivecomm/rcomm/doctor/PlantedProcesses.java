package io.reactivecomm.rcomm.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A world of {@link PlantedRank}s in processes. Each is ended by its own handle. */
final class PlantedProcesses implements AutoCloseable {

    private static final long LIMIT_SECONDS = 30;

    private final List<Process> ranks = new ArrayList<>();
    private final List<BufferedReader> outputs = new ArrayList<>();
    private final Path dumps;

    /** @param silence how long a rank may be silent before it is lost */
    PlantedProcesses(int worldSize, Path folder, Duration silence) throws IOException {
        dumps = folder.resolve("dumps");
        for (int rank = 0; rank < worldSize; rank++) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--enable-native-access=ALL-UNNAMED",
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Xmx128m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            PlantedRank.class.getName(),
                            Integer.toString(rank),
                            Integer.toString(worldSize),
                            folder.resolve("meeting").toAbsolutePath().toString(),
                            dumps.toString(),
                            Long.toString(silence.toMillis()))
                    .redirectErrorStream(true)
                    .start();
            ranks.add(process);
            outputs.add(process.inputReader());
        }
    }

    Path dumps() {
        return dumps;
    }

    Process rank(int rank) {
        return ranks.get(rank);
    }

    /** Reads what a rank says until it says that. {@return the line} */
    String await(int rank, String beginning) throws IOException {
        List<String> seen = new ArrayList<>();
        for (String line = outputs.get(rank).readLine();
                line != null;
                line = outputs.get(rank).readLine()) {
            if (line.startsWith(beginning)) {
                return line;
            }
            seen.add(line);
        }
        throw new AssertionError("rank " + rank + " never said \"" + beginning + "\"; it said: " + seen);
    }

    void signal(int rank, String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder(
                        "kill", "-" + signal, Long.toString(ranks.get(rank).pid()))
                .inheritIO()
                .start();
        assertThat(kill.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).as("kill -%s", signal).isZero();
    }

    Path awaitDump(String name) {
        Path file = dumps.resolve(name);
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!Files.exists(file)) {
            assertThat(System.nanoTime()).as("%s comes in time", file).isLessThan(until);
            Thread.onSpinWait();
        }
        return file;
    }

    @Override
    public void close() {
        ranks.forEach(Process::destroyForcibly);
    }
}

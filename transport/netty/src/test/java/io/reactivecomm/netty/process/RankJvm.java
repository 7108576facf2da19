package io.reactivecomm.netty.process;

import io.reactivecomm.spi.RankJvmOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A rank in a JVM of its own, with its output line by line. Ended by its own handle. */
final class RankJvm implements AutoCloseable {

    /** A machine may be so busy that a JVM takes a minute to start: this only ends what hangs. */
    private static final long BOUND_SECONDS = 180;

    private static final String END = "<end of output>";

    private final int rank;
    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<String> seen = new ArrayList<>();

    RankJvm(int rank, int worldSize, int port, String token, String... args) {
        this(
                rank,
                List.of(),
                Map.of(
                        "RANK",
                        Integer.toString(rank),
                        "WORLD_SIZE",
                        Integer.toString(worldSize),
                        "MASTER_ADDR",
                        "127.0.0.1",
                        "MASTER_PORT",
                        Integer.toString(port),
                        "RCOMM_TOKEN",
                        token,
                        "RCOMM_STORE_HOSTED",
                        "1"),
                FaultyRank.class,
                args);
    }

    /** @param prefix runs the command that follows it */
    RankJvm(int rank, List<String> prefix, Map<String, String> environment, Class<?> program, String... args) {
        this.rank = rank;
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx256m"));
        command.addAll(RankJvmOptions.inherited().stream()
                .filter(flag -> flag.startsWith("-XX:") || flag.startsWith("--add-modules"))
                .toList());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::readLines);
    }

    private void readLines() {
        try (BufferedReader reader = process.inputReader()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            lines.add("unreadable: " + e);
        }
        lines.add(END);
    }

    int rank() {
        return rank;
    }

    /** {@return the first line from here on that begins so} */
    String await(String prefix) throws InterruptedException {
        while (true) {
            String line = lines.poll(BOUND_SECONDS, TimeUnit.SECONDS);
            if (line == null || line.equals(END)) {
                throw new AssertionError("rank " + rank + " never said \"" + prefix + "\"; it said: " + seen);
            }
            seen.add(line);
            if (line.startsWith(prefix)) {
                return line;
            }
        }
    }

    /** {@return all that was said so far} */
    List<String> seen() {
        return seen;
    }

    /** Gives the process a line to read. */
    void write(String line) {
        try {
            process.outputWriter().write(line + "\n");
            process.outputWriter().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets so much time pass, in which the process must not end. */
    void pause(long millis) throws InterruptedException {
        if (process.waitFor(millis, TimeUnit.MILLISECONDS)) {
            throw new AssertionError("rank " + rank + " has ended; it said: " + seen);
        }
    }

    void kill() {
        process.destroyForcibly();
    }

    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    int exitCode() throws InterruptedException {
        if (!process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("rank " + rank + " does not end; it said: " + seen);
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

package io.reactivecomm.testkit.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A {@link CellProgram} in a process of its own, with what it says. Ended by its own handle.
 *
 * <p><b>Threads.</b> One at a time, beside the one that reads.
 */
final class CellProcess implements AutoCloseable {

    private static final long END_SECONDS = 20;
    private static final int LINES_SHOWN = 12;

    private final Process process;
    private final Writer in;
    private final List<String> lines = new ArrayList<>();
    private boolean ended;
    private int from;

    /**
     * Starts one.
     *
     * @param prefix a command that runs another, in a network of its own say; empty for none
     * @param folder where it may put files
     * @param archiveOption what it does with the archive of loaded classes
     */
    CellProcess(List<String> prefix, RankClasses classes, Path folder, String archiveOption) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                // Quick to start: there are many on few cores. The compiler that is makes Vector API code slow, which
                // so is not there.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xlog:cds=off",
                archiveOption + classes.archive(),
                "-XX:-UsePerfData",
                "-XX:+ExitOnOutOfMemoryError",
                "-Xmx256m",
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                classes.path(),
                CellProgram.class.getName(),
                folder.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("RCOMM_"));
        process = builder.start();
        in = process.outputWriter();
        Thread.ofVirtual().start(this::readLines);
    }

    private void readLines() {
        try (BufferedReader reader = process.inputReader()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                add(line, false);
            }
            add("<end of output>", true);
        } catch (IOException e) {
            add("<unreadable: " + e.getMessage() + ">", true);
        }
    }

    private synchronized void add(String line, boolean isLast) {
        lines.add(line);
        ended |= isLast;
        notifyAll();
    }

    /** Forgets what was said so far. */
    synchronized void mark() {
        from = lines.size();
    }

    /** Remembers what was said from the beginning. */
    synchronized void unmark() {
        from = 0;
    }

    /** {@return what was said since the mark and is like that} */
    synchronized List<String> said(Predicate<String> like) {
        return lines.subList(from, lines.size()).stream().filter(like).toList();
    }

    /** {@return the first line since the mark that is like that, or nothing if none comes in time} */
    synchronized Optional<String> find(Predicate<String> like, Duration bound) throws InterruptedException {
        long deadline = System.nanoTime() + bound.toNanos();
        int next = from;
        while (true) {
            for (; next < lines.size(); next++) {
                if (like.test(lines.get(next))) {
                    return Optional.of(lines.get(next));
                }
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (ended || left <= 0) {
                return Optional.empty();
            }
            wait(left);
        }
    }

    /** {@return the first line since the mark that begins so; otherwise the cell has failed} */
    String await(String prefix, Duration bound) throws InterruptedException {
        return awaitAny(List.of(prefix), bound);
    }

    /** {@return the first line since the mark that begins in one of these ways; otherwise the cell has failed} */
    String awaitAny(List<String> prefixes, Duration bound) throws InterruptedException {
        return find(line -> prefixes.stream().anyMatch(line::startsWith), bound)
                .orElseThrow(() -> new CellFailure("a process never said " + String.join(" or ", prefixes) + " within "
                        + bound.toMillis() + " ms; it said " + last()));
    }

    /** {@return what was said last} */
    synchronized List<String> last() {
        return List.copyOf(lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
    }

    void send(String line) {
        try {
            in.write(line + "\n");
            in.flush();
        } catch (IOException e) {
            throw new CellFailure("a process listens no more: line=" + line + "; it said " + last());
        }
    }

    /** Ends its input, and with that the program, and waits for it. */
    void end() throws IOException, InterruptedException {
        in.close();
        if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
            throw new CellFailure("a process does not end with its input; it said " + last());
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Ends it at once, without a chance to do anything. */
    void kill() {
        process.destroyForcibly();
    }

    void signal(String name) {
        try {
            Command.run("kill", "-" + name, Long.toString(pid()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("a process outlives its end: pid=" + pid());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

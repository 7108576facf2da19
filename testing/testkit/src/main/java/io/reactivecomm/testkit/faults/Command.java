package io.reactivecomm.testkit.faults;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program of the system that does one thing and ends. */
final class Command {

    private static final long BOUND_SECONDS = 20;

    private Command() {}

    /**
     * Runs it to its end.
     *
     * @throws IOException if it cannot be started, fails, or does not end; with what it said
     */
    static void run(String... words) throws IOException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        try {
            process.getOutputStream().close();
            // Short enough for the pipe, so it can end before it is read.
            if (!process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("a command does not end: command=" + List.of(words));
            }
            if (process.exitValue() != 0) {
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
                throw new IOException("a command failed: command=" + String.join(" ", words) + ", said=" + said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted: command=" + List.of(words), e);
        } finally {
            process.destroyForcibly();
        }
    }
}

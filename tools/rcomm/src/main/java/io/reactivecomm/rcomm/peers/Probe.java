package io.reactivecomm.rcomm.peers;

import io.reactivecomm.CommException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A short question to a program: does it run, and what does it say. */
public final class Probe {

    /** Importing torch from a cold disk takes half of that; so does a compiler on a busy machine. */
    private static final long LIMIT_SECONDS = 60;

    private Probe() {}

    /**
     * The outcome of a run of the program.
     *
     * @param succeeded whether it ended in time with code 0
     * @param text what it wrote, both streams as they came
     */
    public record Answer(boolean succeeded, String text) {

        String firstLine() {
            return text.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .findFirst()
                    .orElse("");
        }

        /** {@return the last line with a word; launchers end theirs with dashes} */
        public String lastText() {
            return text.lines()
                    .map(String::strip)
                    .filter(line -> line.chars().anyMatch(Character::isLetter))
                    .reduce((a, b) -> b)
                    .orElse("nothing");
        }

        String lastLine() {
            return text.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .reduce((a, b) -> b)
                    .orElse("nothing");
        }
    }

    /** As the other, with this process's environment. */
    static Answer ask(List<String> command, Path scratch) {
        return ask(command, Map.of(), scratch);
    }

    /**
     * {@return what a program did; it is ended, with its children, if it takes too long}
     *
     * @param scratch a folder for its output: a file cannot block it as a pipe can
     */
    public static Answer ask(List<String> command, Map<String, String> environment, Path scratch) {
        try {
            Path output = Files.createTempFile(scratch, "probe", ".txt");
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            boolean succeeded = endsWell(process);
            return new Answer(succeeded, new String(Files.readAllBytes(output), StandardCharsets.UTF_8));
        } catch (IOException e) {
            return new Answer(false, CommException.textOf(e));
        }
    }

    private static boolean endsWell(Process process) {
        try {
            return process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}

package io.reactivecomm.nccl.doubles;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The C compiler by which the doubles are built: gcc. */
public final class CCompiler {

    /** Found on the path. */
    static final String NAME = "gcc";

    private CCompiler() {}

    /** {@return whether there is one} */
    public static boolean isThere() {
        try {
            run(List.of(NAME, "--version"), Path.of("").toAbsolutePath());
            return true;
        } catch (IOException | IllegalStateException e) {
            return false;
        }
    }

    /** Runs a command that succeeds, in a folder. */
    static void run(List<String> command, Path folder) throws IOException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IllegalStateException("a double cannot be built: command=" + command + ", output=" + text);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a double was built: command=" + command, e);
        }
    }
}

package io.reactivecomm.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32;

/** The C compiler by which doubles of native libraries are built. */
public final class Gcc {

    private Gcc() {}

    /** {@return whether there is one} */
    static boolean isThere() {
        try {
            return !run(List.of("gcc", "--version")).isEmpty();
        } catch (IOException | IllegalStateException e) {
            return false;
        }
    }

    /** {@return the output of a command that succeeds, in this JVM's folder} */
    public static String run(List<String> command) throws IOException {
        return run(command, Path.of("").toAbsolutePath());
    }

    /** {@return the output of a command that succeeds in a folder} */
    public static String run(List<String> command, Path folder) throws IOException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IllegalStateException("a command failed: command=" + command + ", output=" + text);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a command ran: command=" + command, e);
        }
        return text;
    }

    /** {@return a name for what is built of these sources, in this order, in that way} */
    public static String fingerprint(List<Path> sources, String way) throws IOException {
        CRC32 sum = new CRC32();
        sum.update(way.getBytes(StandardCharsets.UTF_8));
        for (Path source : sources) {
            sum.update(Files.readAllBytes(source));
        }
        return Long.toHexString(sum.getValue());
    }
}

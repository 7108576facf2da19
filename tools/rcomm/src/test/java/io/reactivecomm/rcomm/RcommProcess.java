package io.reactivecomm.rcomm;

import io.reactivecomm.spi.RankJvmOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A run of the command as users start it: a process, and ranks in processes of their own, on the compilers of the tests' own JVM. The suite
 * has the simple one, which rows and traces are the same on, and {@code -Pthorough} those that users have.
 *
 * @param lines what it printed
 */
record RcommProcess(int exitCode, List<String> lines) {

    static RcommProcess run(Path folder, String... arguments) throws IOException, InterruptedException {
        return run(folder, Map.of(), arguments);
    }

    static RcommProcess run(Path folder, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        return run(folder, environment, Rcomm.class, arguments);
    }

    /** @param program whose main method runs in the command's place */
    static RcommProcess run(Path folder, Map<String, String> environment, Class<?> program, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(ProcessHandle.current().info().command().orElseThrow(), "--enable-native-access=ALL-UNNAMED"));
        command.addAll(RankJvmOptions.inherited().stream()
                .filter(flag -> flag.startsWith("-XX:"))
                .toList());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(Arrays.asList(arguments));
        Path output = folder.resolve("output.txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            return new RcommProcess(process.waitFor(), Files.readAllLines(output));
        } finally {
            process.destroyForcibly();
        }
    }
}

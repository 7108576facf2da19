package io.reactivecomm.internal.observe.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A run of one of this JDK's tools as a process of its own. */
final class ToolRun {

    private static final long LIMIT_SECONDS = 60;

    private ToolRun() {}

    /** {@return what the tool printed, once it has ended well} @param folder where that goes meanwhile */
    static String of(Path folder, String tool, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", tool).toString()));
        command.addAll(List.of(arguments));
        Path printed = folder.resolve(tool + ".txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        try {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                    .as("%s ends", tool)
                    .isTrue();
            assertThat(process.exitValue()).as(Files.readString(printed)).isZero();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(printed);
    }
}

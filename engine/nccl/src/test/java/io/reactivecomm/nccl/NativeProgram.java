package io.reactivecomm.nccl;

import io.reactivecomm.testkit.Gcc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program in C that uses the double of NCCL, or stands in the place of a library. */
final class NativeProgram {

    private static final Path SOURCES =
            Path.of("src", "test", "native", "nccl", "programs").toAbsolutePath();
    private static final Path BUILT = Path.of("target", "native-programs").toAbsolutePath();

    private NativeProgram() {}

    /** {@return a program of {@code src/test/native/nccl/programs}, built, or a library if the options say so} */
    static Path built(String name, String... options) throws IOException {
        Path folder = Files.createDirectories(BUILT);
        Path built = Files.createTempFile(folder, name, ".out");
        List<String> command = new ArrayList<>(List.of(
                "gcc",
                "-O1",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-o",
                built.toString(),
                SOURCES.resolve(name + ".c").toString(),
                "-ldl"));
        command.addAll(List.of(options));
        Gcc.run(command, folder);
        built.toFile().deleteOnExit();
        return built;
    }
}

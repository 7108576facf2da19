package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A copy of the source tree below {@code target/release}, built as a release. Its modules are installed into a repository of their own. The user's
 * repository only serves other projects' artifacts.
 */
final class ReleaseBuild {

    private static final Path FOLDER = Path.of("target", "release").toAbsolutePath();

    static final Path TREE = FOLDER.resolve("tree");

    private static final Path REPOSITORY = FOLDER.resolve("repository");

    private ReleaseBuild() {}

    static void run() throws IOException, InterruptedException {
        Files.createDirectories(FOLDER);
        shell(
                Path.of("..", ".."),
                "",
                "rm -rf '" + FOLDER + "'; mkdir -p '" + TREE + "';"
                        + " tar --exclude=target --exclude=.git --exclude=node_modules -cf - . | tar -xf - -C '" + TREE
                        + "'");
        maven(TREE, "-q", "-Prelease", "-Dmaven.test.skip=true", "install");
    }

    /** {@return what Maven printed, which must have succeeded} */
    static List<String> maven(Path folder, String... arguments) throws IOException, InterruptedException {
        Path user = Path.of(System.getProperty("user.home"), ".m2", "repository");
        List<String> command = Stream.concat(
                        Stream.of(
                                TREE.resolve("mvnw").toString(),
                                "-B",
                                "--no-transfer-progress",
                                "-Dmaven.repo.local=" + REPOSITORY,
                                "-Dmaven.repo.local.tail=" + user),
                        Stream.of(arguments))
                .toList();
        return succeed(folder, Map.of("JAVA_HOME", System.getProperty("java.home")), command);
    }

    /** {@return what a shell printed that has a JDK, the system's programs and those of a folder; it must have succeeded} */
    static List<String> shell(Path folder, String programs, String script) throws IOException, InterruptedException {
        return succeed(
                folder,
                Map.of(),
                List.of(
                        "env",
                        "-i",
                        "HOME=" + folder.toAbsolutePath(),
                        "PATH=" + programs + ":/usr/bin:/bin",
                        "JAVA_HOME=" + System.getProperty("java.home"),
                        "bash",
                        "-ec",
                        script));
    }

    /** {@return what scripts of the copied tree printed, which have this process's environment; they must have succeeded} */
    static List<String> scripts(String script) throws IOException, InterruptedException {
        return succeed(TREE, Map.of("JAVA_HOME", System.getProperty("java.home")), List.of("bash", "-ec", script));
    }

    private static List<String> succeed(Path folder, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            List<String> lines = process.inputReader().lines().toList();
            assertThat(process.waitFor()).as(String.join("\n", lines)).isZero();
            return lines;
        } finally {
            process.destroyForcibly();
        }
    }
}

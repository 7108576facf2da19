package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tests of {@code -Dquick}, the build without checks, followed by a build with checks. */
@Tag("thorough")
@Timeout(900)
class QuickBuildTest {

    private static final Path HOUSE = Path.of("..", "..");

    private static final Set<String> LEFT_OUT = Set.of("target", ".git", "docs", "jmh", "jcstress", "test");

    @TempDir
    private Path copy;

    /**
     * The planted class returns a null that NullAway rejects, and it is not formatted. After the quick build its class file is newer than its source, but
     * the build with checks must compile it again.
     */
    @Test
    void faults_passTheQuickBuild_andFailTheBuildWithChecks() throws Exception {
        copyTree(HOUSE.toRealPath(), copy);
        Path planted = copy.resolve("reactive-comm/src/main/java/io/reactivecomm/Planted.java");
        Files.writeString(planted, """
                package io.reactivecomm;

                final class Planted {

                  private Planted( ) { }

                    static String planted() {
                        return null;
                    }
                }
                """);

        assertThat(maven("-Dquick", "verify")).isEmpty();
        assertThat(copy.resolve("reactive-comm/target/quick/classes/io/reactivecomm/Planted.class"))
                .exists();
        assertThat(maven("compile")).anyMatch(line -> line.contains("[NullAway]") && line.contains("Planted.java"));
    }

    private static void copyTree(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> children = Files.list(from)) {
            for (Path child : children.toList()) {
                Path target = to.resolve(child.getFileName().toString());
                if (LEFT_OUT.contains(child.getFileName().toString())) {
                    continue;
                }
                if (Files.isDirectory(child)) {
                    copyTree(child, target);
                } else {
                    Files.copy(child, target);
                }
            }
        }
    }

    /** {@return the errors that Maven reports of the library's module} */
    private List<String> maven(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("./mvnw", "-o", "-q", "-B", "-pl", "reactive-comm"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(copy.toFile()).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        List<String> lines = process.inputReader()
                .lines()
                .filter(line -> line.startsWith("[ERROR]"))
                .toList();
        process.waitFor();
        return lines;
    }
}

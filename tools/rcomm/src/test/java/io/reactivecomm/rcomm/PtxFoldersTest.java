package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The test of where compiled kernels are: each module has its own in one folder, next to their sources. Tests of the modules compare the hashes. */
class PtxFoldersTest {

    private static final Path HOUSE = Path.of("..", "..");

    static List<String> modules() throws IOException {
        return HouseRulesTest.modules().stream()
                .filter(module -> !files(module, ".ptx").isEmpty()
                        || !files(module, ".cu").isEmpty())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("modules")
    void ptxOfModule_isInOneFolder_nextToItsSources(String module) {
        assertThat(files(module, ".ptx").stream().map(Path::getParent).distinct())
                .hasSize(1);
        assertThat(files(module, ".ptx").stream()
                        .filter(PtxFoldersTest::isCompiled)
                        .map(PtxFoldersTest::withoutEnding))
                .containsExactlyInAnyOrderElementsOf(files(module, ".cu").stream()
                        .map(PtxFoldersTest::withoutEnding)
                        .toList());
    }

    private static List<Path> files(String module, String ending) {
        try (Stream<Path> files = Files.walk(HOUSE.resolve(module).resolve("src/main"))) {
            return files.filter(file -> file.toString().endsWith(ending)).toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** {@return whether {@code .ci/ptx} has written it; other files are written by hand} */
    private static boolean isCompiled(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.findFirst().orElseThrow().startsWith("// Compiled by .ci/ptx");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String withoutEnding(Path file) {
        String name = file.toString();
        return name.substring(0, name.lastIndexOf('.'));
    }
}

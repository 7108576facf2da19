package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The test of the places that CONTRIBUTING.md names: each module and each folder has a line, and the lines are short. */
class ContributingTest {

    private static final Path HOUSE = Path.of("..", "..");

    private static final int MOST_CHARACTERS = 200;

    private final List<String> lines = Files.readAllLines(HOUSE.resolve("CONTRIBUTING.md"));

    ContributingTest() throws IOException {}

    /** Whatever has a build file is a module, or the coverage report over them. */
    @Test
    void modules_haveALine() throws IOException {
        assertThat(modules())
                .contains("reactive-comm", "transport/netty", "coverage")
                .allSatisfy(module -> assertThat(layout()).anyMatch(line -> line.startsWith(module + "/ ")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs", ".ci", ".github", ".mvn"})
    void folderWithoutModules_hasALine(String folder) {
        assertThat(layout()).anyMatch(line -> line.startsWith(folder + "/ "));
    }

    @Test
    void lines_nameFoldersThatExist_andAreShort() {
        assertThat(layout())
                .hasSizeGreaterThan(10)
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(MOST_CHARACTERS))
                .allSatisfy(
                        line -> assertThat(HOUSE.resolve(line.split(" ", 2)[0])).exists());
    }

    @Test
    void rowsOfChanges_areShort() {
        assertThat(section("## Where to make a change").filter(line -> line.startsWith("|")))
                .hasSizeGreaterThan(10)
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(MOST_CHARACTERS));
    }

    /** {@return the drawing of the repository: the lines between the two fences} */
    private List<String> layout() {
        return section("## Layout")
                .dropWhile(line -> !line.equals("```"))
                .skip(1)
                .takeWhile(line -> !line.equals("```"))
                .toList();
    }

    private Stream<String> section(String heading) {
        return lines.stream()
                .dropWhile(line -> !line.equals(heading))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "));
    }

    private static List<String> modules() throws IOException {
        try (Stream<Path> found = Files.find(HOUSE, 3, (file, facts) -> file.endsWith("pom.xml"))) {
            return found.map(file -> HOUSE.relativize(file.getParent()).toString())
                    .filter(folder -> !folder.isEmpty() && !folder.startsWith("target"))
                    .toList();
        }
    }
}

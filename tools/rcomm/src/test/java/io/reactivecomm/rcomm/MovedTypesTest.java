package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The list of types whose names have changed. */
class MovedTypesTest {

    private static final Path HOUSE = Path.of("..", "..");

    private static boolean exists(String type) {
        try {
            Class.forName(type, false, MovedTypesTest.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    @Test
    void newNames_areTypes_andOldOnesAreNot() throws IOException {
        List<String> lines = Files.readAllLines(HOUSE.resolve("docs/moved-types.txt")).stream()
                .filter(line -> !line.startsWith("#") && !line.isBlank())
                .toList();
        assertThat(lines).isNotEmpty().allSatisfy(line -> {
            String[] names = line.split(" ");
            assertThat(names).hasSize(2);
            assertThat(exists(names[1])).as("new name %s", names[1]).isTrue();
            assertThat(exists(names[0])).as("old name %s", names[0]).isFalse();
        });
    }

    @Test
    void readme_namesTheList() throws IOException {
        assertThat(Files.readString(HOUSE.resolve("README.md"))).contains("(docs/moved-types.txt)");
    }
}

package io.reactivecomm.pytorch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The test that docs/pytorch.md shows programs that compile. */
class PageTest {

    private static final Path SOURCES = Path.of("src", "test", "java", "io", "reactivecomm", "pytorch");

    private static final String PAGE = page();

    private static String page() {
        try {
            return Files.readString(Path.of("..", "..", "docs", "pytorch.md"));
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Test
    void recipeForDjl_isTheCompiledClass() throws IOException {
        String source = Files.readString(SOURCES.resolve("AveragingTrainer.java"));

        assertThat(PAGE).contains(source.substring(source.indexOf("final class")));
    }

    @Test
    void firstProgram_isTheCompiledClass() throws IOException {
        String source = Files.readString(SOURCES.resolve("FirstProgram.java"));

        assertThat(PAGE).contains(source.substring(source.indexOf("final class")));
    }
}

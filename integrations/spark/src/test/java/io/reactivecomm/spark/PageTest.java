package io.reactivecomm.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The test that docs/spark.md shows a program that compiles and runs, and the flags that the tests use. */
@Timeout(120)
class PageTest {

    private static final Path SOURCE =
            Path.of("src", "test", "java", "io", "reactivecomm", "spark", "FirstProgram.java");

    private static String page() throws IOException {
        return Files.readString(Path.of("..", "..", "docs", "spark.md"));
    }

    @Test
    void firstProgram_isTheCompiledClass_andSums() throws IOException {
        String source = Files.readString(SOURCE);
        assertThat(page()).contains(source.substring(source.indexOf("public final class")));

        try (SparkSession session = LocalSpark.session("local[2]")) {
            assertThat(SparkWorld.on(session.range(1000).selectExpr("id % 7 AS a", "id % 11 AS b"))
                            .ranks(2)
                            .run(FirstProgram::sum))
                    .containsExactly(new float[] {2997, 4995}, new float[] {2997, 4995});
        }
    }

    @Test
    void flags_areThoseOfTheTests() throws IOException {
        assertThat(page()).contains(SparkHome.FLAGS);
    }
}

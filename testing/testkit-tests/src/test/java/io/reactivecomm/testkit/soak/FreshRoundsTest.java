package io.reactivecomm.testkit.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.collective.TensorUseRounds;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Code that a JVM once compiled wrongly: as written now it is compiled rightly, in a JVM without the flags that the build passes to its tests. */
@Tag("thorough")
@Timeout(600)
class FreshRoundsTest {

    private static final int ROUNDS = 400;

    @Test
    void overlapCheck_compiledAnewManyTimes_neverFails() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FreshRounds.class.getName(),
                        TensorUseRounds.class.getName(),
                        "" + ROUNDS)
                .redirectErrorStream(true)
                .start();
        try {
            List<String> lines = process.inputReader().lines().toList();

            assertThat(process.waitFor()).as(lines.toString()).isZero();
            assertThat(lines).contains("rounds=" + ROUNDS + ", failed=0");
        } finally {
            process.destroyForcibly();
        }
    }
}

package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** {@code rcomm train} on ranks of this process. */
@Timeout(60)
class RcommTrainTest {

    private final RcommCalls rcomm = new RcommCalls();

    @Test
    void train_chartCannotBeWritten_failsInOneLine(@TempDir Path folder) {
        assertThat(rcomm.run(
                        "train", "--transport", "local", "--ranks", "2", "--epochs", "1", "--chart", folder.toString()))
                .isEqualTo(1);
        assertThat(rcomm.err().lines()).singleElement().asString().contains("cannot write the chart: file=" + folder);
    }

    @Test
    void train_verbose_showsTheStackTrace(@TempDir Path folder) {
        assertThat(rcomm.run(
                        "train",
                        "--verbose",
                        "--transport",
                        "local",
                        "--ranks",
                        "1",
                        "--epochs",
                        "1",
                        "--chart",
                        folder.toString()))
                .isEqualTo(1);
        assertThat(rcomm.err()).contains("at io.reactivecomm.samples.programs.train.TrainingChart");
    }

    @Test
    void train_local_saysHowItGoes(@TempDir Path folder) {
        assertThat(rcomm.run(
                        "train",
                        "--transport",
                        "local",
                        "--ranks",
                        "3",
                        "--epochs",
                        "2",
                        "--chart",
                        folder.resolve("train.png").toString()))
                .isZero();
        assertThat(rcomm.out().lines())
                .hasSize(6)
                .anyMatch(line -> line.startsWith("epoch  2/2  loss "))
                .anyMatch(line -> line.startsWith("parameters of all 3 ranks are bit-equal: hash "));
        assertThat(folder.resolve("train.png")).isNotEmptyFile();
    }

    @Test
    void train_compress_showsATableAndWritesBothFiles(@TempDir Path folder) throws Exception {
        Path json = folder.resolve("figures.json");
        assertThat(rcomm.run(
                        "train",
                        "--transport=local",
                        "--ranks=2",
                        "--epochs=1",
                        "--batch=500",
                        "--compress=one-bit,top-k",
                        "--density=0.1",
                        "--json=" + json,
                        "--chart=" + folder.resolve("chart.png")))
                .as(rcomm.err())
                .isZero();
        assertThat(rcomm.out().lines())
                .hasSize(9)
                .anyMatch(line -> line.matches("uncompressed +\\d\\.\\d{6} +0\\.\\d{4} +\\d+ +1\\.0  bit-equal"))
                .anyMatch(line ->
                        line.matches("one-bit, no feedback +\\d\\.\\d{6} +0\\.\\d{4} +\\d+ +2\\d\\.\\d  bit-equal"))
                .anyMatch(line -> line.equals("parameters of all 2 ranks are bit-equal after every training"));
        assertThat(JsonMapper.shared().readTree(Files.readString(json)))
                .extracting(run -> run.get("method").asString() + " "
                        + run.get("feedsBack").asBoolean())
                .containsExactly("uncompressed true", "one-bit true", "one-bit false", "top-k true", "top-k false");
        assertThat(folder.resolve("chart.png")).isNotEmptyFile();
    }

    @Test
    void train_optimizer_isShownBesideItsParent(@TempDir Path folder) {
        assertThat(rcomm.run(
                        "train",
                        "--transport=local",
                        "--ranks=2",
                        "--epochs=1",
                        "--batch=500",
                        "--warm-up=1",
                        "--optimizer=one-bit-adam",
                        "--chart=" + folder.resolve("chart.png")))
                .as(rcomm.err())
                .isZero();
        assertThat(rcomm.out().lines())
                .anyMatch(line -> line.startsWith("adam  "))
                .anyMatch(line -> line.startsWith("one-bit-adam  "));
    }

    @Test
    void train_withOptionsOfSteps_saysWhichInItsSummary(@TempDir Path folder) {
        assertThat(rcomm.run(
                        "train",
                        "--transport=local",
                        "--ranks=3",
                        "--epochs=1",
                        "--quiet",
                        "--accumulate=4",
                        "--clip=1.0",
                        "--uneven",
                        "--chart=" + folder.resolve("chart.png")))
                .as(rcomm.err())
                .isZero();
        assertThat(rcomm.out().lines())
                .hasSize(4)
                .contains("each step: 4 micro-steps, gradients clipped to a norm of 1.0, uneven inputs, averages over"
                        + " active ranks")
                .anyMatch(line -> line.startsWith("parameters of all 3 ranks are bit-equal: hash "));
        assertThat(rcomm.run("train", "--transport=local", "--uneven", "--compress=one-bit"))
                .isEqualTo(2);
        assertThat(rcomm.err()).contains("compared trainings have usual steps", "uneven=true");
    }
}

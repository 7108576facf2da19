package io.reactivecomm.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** {@code rcomm train} and {@code rcomm overlap} with ranks in processes of their own. */
@Timeout(120)
class RcommTrainProcessTest {

    private static final Pattern RESULT = Pattern.compile("test accuracy (\\S+), training loss (\\S+) after 30 epochs");

    @TempDir
    private Path folder;

    private Matcher train(int ranks) throws Exception {
        RcommProcess ended = RcommProcess.run(
                folder,
                "train",
                "--ranks",
                "" + ranks,
                "--quiet",
                "--chart",
                folder.resolve("c.png").toString());
        assertThat(ended.exitCode()).as(ended.lines().toString()).isZero();
        assertThat(ended.lines()).anyMatch(line -> line.startsWith("parameters of all " + ranks + " rank"));
        assertThat(folder.resolve("c.png")).isNotEmptyFile();
        Matcher result = RESULT.matcher(String.join("\n", ended.lines()));
        assertThat(result.find()).as(ended.lines().toString()).isTrue();
        return result;
    }

    @Test
    void train_oneAndFourProcesses_learnTheSame() throws Exception {
        Matcher one = train(1);
        Matcher four = train(4);
        for (Matcher result : List.of(one, four)) {
            assertThat(Double.parseDouble(result.group(1))).isGreaterThanOrEqualTo(0.965);
        }
        assertThat(Double.parseDouble(four.group(2))).isCloseTo(Double.parseDouble(one.group(2)), within(1e-4));
    }

    @Test
    void overlap_twoProcesses_tracesBothRanks() throws Exception {
        Path trace = folder.resolve("trace.json");
        RcommProcess ended = RcommProcess.run(
                folder,
                "overlap",
                "--ranks=2",
                "--steps=2",
                "--hidden=8,8",
                "--batch=16",
                "--latency=100us",
                "--trace=" + trace,
                "--chart=" + folder.resolve("c.png"));
        assertThat(ended.exitCode()).as(ended.lines().toString()).isZero();
        assertThat(ended.lines())
                .anyMatch(line -> line.matches("tcp +buckets overlapped .*"))
                .anyMatch(line -> line.matches("tcp \\+ 0.1 ms +buckets overlapped .*"))
                .anyMatch(line -> line.startsWith("parameters of all 2 ranks are bit-equal after every run"));
        assertThat(JsonMapper.shared().readTree(Files.readString(trace)))
                .extracting(event -> event.get("pid").asInt())
                .contains(0, 1);
    }

    @Test
    void train_rankFails_exitsWithItsCode() throws Exception {
        RcommProcess ended = RcommProcess.run(folder, "train", "--ranks", "2", "--epochs", "1", "--chart", folder.toString());
        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.lines()).anyMatch(line -> line.contains("cannot write the chart"));
    }
}

package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code rcomm train} and {@code rcomm overlap} with ranks in processes of their own. */
@Timeout(120)
class RcommTrainProcessTest {

    private static final Pattern RESULT =
            Pattern.compile("test accuracy (\\S+), training loss (\\S+) after \\d+ epochs");

    @TempDir
    private Path folder;

    private String[] arguments(String transport, int ranks, int epochs) {
        return new String[] {
            "train",
            "--transport=" + transport,
            "--ranks=" + ranks,
            "--epochs=" + epochs,
            "--quiet",
            "--chart=" + folder.resolve("c.png")
        };
    }

    private Matcher trainInProcesses(int ranks, int epochs) throws Exception {
        Map<String, String> recorded =
                Map.of("RCOMM_TIMELINE", folder.resolve("calls.json").toString());
        RcommProcess ended = RcommProcess.run(folder, recorded, arguments("tcp", ranks, epochs));
        assertThat(ended.exitCode()).as(ended.lines().toString()).isZero();
        assertThat(ended.lines()).anyMatch(line -> line.startsWith("parameters of all " + ranks + " rank"));
        assertThat(folder.resolve("c.png")).isNotEmptyFile();
        return result(String.join("\n", ended.lines()));
    }

    private static Matcher result(String output) {
        Matcher result = RESULT.matcher(output);
        assertThat(result.find()).as(output).isTrue();
        return result;
    }

    private static void requireTheSame(Matcher one, Matcher several, double leastAccuracy) {
        for (Matcher result : List.of(one, several)) {
            assertThat(Double.parseDouble(result.group(1))).isGreaterThanOrEqualTo(leastAccuracy);
        }
        assertThat(Double.parseDouble(several.group(2))).isCloseTo(Double.parseDouble(one.group(2)), within(1e-4));
    }

    @Test
    void train_twoProcesses_learnWhatOneRankHereDoes() throws Exception {
        RcommCalls here = new RcommCalls();
        assertThat(here.run(arguments("local", 1, 3))).isZero();
        requireTheSame(result(here.out()), trainInProcesses(2, 3), 0.9);
        RcommCalls merge = new RcommCalls();
        String part = folder.resolve("calls").toString();
        assertThat(merge.run("timeline", part + ".1.json", part + ".0.json", "-o", part + ".json"))
                .as(merge.err())
                .isZero();
        assertThat(merge.out()).contains("the reference", "heartbeats", "timeline " + part + ".json");
        assertThat(merge.out()).doesNotContain("note:");
    }

    @Test
    @Tag("thorough")
    void train_oneAndFourProcesses_learnTheSame() throws Exception {
        requireTheSame(trainInProcesses(1, 30), trainInProcesses(4, 30), 0.965);
    }

    @Test
    @Tag("thorough")
    void overlap_twoProcesses_tracesBothRanks() throws Exception {
        Path trace = folder.resolve("trace.json");
        Path timeline = folder.resolve("timeline.json");
        RcommProcess ended = RcommProcess.run(
                folder,
                "overlap",
                "--ranks=2",
                "--steps=2",
                "--hidden=8,8",
                "--batch=16",
                "--latency=100us",
                "--trace=" + trace,
                "--timeline=" + timeline,
                "--chart=" + folder.resolve("c.png"));
        assertThat(ended.exitCode()).as(ended.lines().toString()).isZero();
        assertThat(ended.lines())
                .anyMatch(line -> line.matches("tcp +buckets overlapped .*"))
                .anyMatch(line -> line.matches("tcp \\+ 0.1 ms +buckets overlapped .*"))
                .anyMatch(line -> line.startsWith("parameters of all 2 ranks are bit-equal after every run"));
        assertThat(JsonMapper.shared().readTree(Files.readString(trace)))
                .extracting(event -> event.get("pid").asInt())
                .contains(0, 1);
        requireOneClock(ended.lines());
        requireBuckets(timeline);
        assertThat(timeline.resolveSibling("timeline.0.json")).doesNotExist();
    }

    /** Two processes of one machine have one clock: how far they seem to be apart is within what is said to be the most. */
    private static void requireOneClock(List<String> lines) {
        Pattern row = Pattern.compile(" +1  heartbeats +(-?\\d+\\.\\d+) s +± (\\d+\\.\\d+) µs");
        List<MatchResult> found =
                lines.stream().flatMap(line -> row.matcher(line).results()).toList();
        assertThat(found).as("rows of rank 1 in %s", lines).hasSize(1);
        double offsetMicros = 1e6 * Double.parseDouble(found.getFirst().group(1));
        assertThat(Math.abs(offsetMicros))
                .isLessThanOrEqualTo(Double.parseDouble(found.getFirst().group(2)));
    }

    /** Two processes of one machine have one clock, and both ranks reduce each bucket at one time. */
    private static void requireBuckets(Path timeline) throws Exception {
        List<JsonNode> begun = StreamSupport.stream(
                        JsonMapper.shared()
                                .readTree(Files.readString(timeline))
                                .get("traceEvents")
                                .spliterator(),
                        false)
                .filter(event -> event.get("ph").asString().equals("B"))
                .toList();
        for (String name : List.of("gradient buckets", "bucket 0", "all-reduce")) {
            assertThat(begun.stream()
                            .filter(event -> event.get("name").asString().equals(name))
                            .map(event -> event.get("pid").asInt()))
                    .as(name)
                    .contains(1, 2);
        }
    }

    @Test
    @Tag("thorough")
    void train_rankFails_exitsWithItsCode() throws Exception {
        RcommProcess ended = RcommProcess.run(
                folder, "train", "--ranks=2", "--epochs=1", "--batch=500", "--chart", folder.toString());
        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.lines()).anyMatch(line -> line.contains("cannot write the chart"));
    }
}

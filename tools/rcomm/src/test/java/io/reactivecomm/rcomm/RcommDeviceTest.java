package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.reactivecomm.testkit.NeedsGcc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code --device cuda}, on GPUs or on their doubles: always in another JVM, since a driver that is loaded stays. */
@Timeout(120)
@ExtendWith(NeedsGcc.class)
class RcommDeviceTest {

    private static final Pattern RESULT =
            Pattern.compile("test accuracy (\\S+), training loss (\\S+) after \\d+ epochs");

    /** NCCL adds in an order of its own. */
    private static final double LOSS_TOLERANCE = 1e-4;

    @TempDir
    private Path folder;

    private RcommProcess run(String... arguments) throws Exception {
        RcommProcess ended = RcommProcess.run(folder, arguments);
        assertThat(ended.exitCode()).as(ended.lines().toString()).isZero();
        return ended;
    }

    /** As the other, with ranks of one process, in which the double finds no fault. */
    private List<String> runHere(String... arguments) throws Exception {
        RcommProcess ended = RcommProcess.run(folder, Map.of(), RcommOverDoubles.class, arguments);
        assertThat(ended.exitCode()).as(ended.lines().toString()).isZero();
        assertThat(ended.lines())
                .filteredOn(line -> line.startsWith("faults: "))
                .allMatch("faults: []"::equals);
        return ended.lines();
    }

    private static double loss(String said) {
        Matcher result = RESULT.matcher(said);
        assertThat(result.find()).as(said).isTrue();
        return Double.parseDouble(result.group(2));
    }

    @Test
    void train_ranksOfOneProcess_learnWhatHostsDo() throws Exception {
        String chart = "--chart=" + folder.resolve("c.png");
        RcommCalls onHosts = new RcommCalls();
        assertThat(onHosts.run("train", "--transport=local", "--ranks=2", "--epochs=1", "--batch=300", chart))
                .isZero();

        List<String> onDevices =
                runHere("train", "--device=cuda", "--transport=local", "--ranks=2", "--epochs=1", "--batch=300", chart);

        assertThat(onDevices)
                .anyMatch(line -> line.startsWith("device: "))
                .anyMatch(line -> line.startsWith("parameters of all 2 ranks are bit-equal: hash "));
        assertThat(loss(String.join("\n", onDevices))).isCloseTo(loss(onHosts.out()), within(LOSS_TOLERANCE));
    }

    @Test
    @Tag("thorough")
    void train_compress_inProcesses_countsWhatNcclSends() throws Exception {
        Path json = folder.resolve("figures.json");
        List<String> lines = run(
                        "train",
                        "--device=cuda",
                        "--ranks=2",
                        "--epochs=1",
                        "--batch=700",
                        "--compress=one-bit",
                        "--json=" + json,
                        "--chart=" + folder.resolve("c.png"))
                .lines();

        assertThat(lines)
                .anyMatch(line -> line.startsWith("# device: "))
                .anyMatch(line -> line.matches("one-bit +.* bit-equal"))
                .contains("parameters of all 2 ranks are bit-equal after every training");
        JsonNode uncompressed =
                JsonMapper.shared().readTree(Files.readString(json)).get(0);
        // Three steps of 4,810 floats, each of which a rank of two sends once.
        assertThat(uncompressed.get("sentBytes").asLong()).isGreaterThan(3 * 4810 * Float.BYTES);
    }

    @Test
    @Tag("thorough")
    void overlap_putsBothStreamsIntoOneTimeline() throws Exception {
        Path trace = folder.resolve("trace.json");
        List<String> lines = runHere(
                "overlap",
                "--device=cuda",
                "--transport=local",
                "--ranks=2",
                "--steps=2",
                "--hidden=16,16",
                "--bucket-mib=0.002",
                "--backward=1ms",
                "--trace=" + trace,
                "--chart=" + folder.resolve("c.png"));

        assertThat(lines)
                .anyMatch(line -> line.startsWith("# device: "))
                .anyMatch(line -> line.matches("nccl +reduce after backward .* 0"))
                .anyMatch(line -> line.matches("nccl +buckets overlapped .* 0"))
                .anyMatch(line -> line.startsWith("parameters of all 2 ranks are bit-equal after every run"));
        JsonNode events = JsonMapper.shared().readTree(Files.readString(trace));
        assertThat(events)
                .extracting(event -> event.get("name").asString())
                .contains("forward", "backward layer1", "backward layer3", "bucket 0", "bucket 1");
        requireBucketsBehindTheirLayers(events);
    }

    /** The first bucket has the last layer's gradient, and cannot begin before that has been computed. */
    private static void requireBucketsBehindTheirLayers(JsonNode events) {
        double lastLayer = 0;
        for (JsonNode event : events) {
            if (event.get("ph").asString().equals("X")) {
                String name = event.get("name").asString();
                double from = event.get("ts").asDouble();
                if (name.equals("backward layer3")) {
                    lastLayer = from + event.get("dur").asDouble();
                } else if (name.equals("bucket 0")) {
                    assertThat(from).isGreaterThanOrEqualTo(lastLayer - 1);
                }
            }
        }
    }

    @Test
    void ranksOfOneProcess_needAGpuEach() throws Exception {
        RcommProcess ended = RcommProcess.run(folder, "train", "--device=cuda", "--transport=local", "--ranks=100");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.lines())
                .singleElement()
                .asString()
                .contains("ranks of one process need a GPU each: ranks=100, gpus=");
    }

    @Test
    void neitherGpuNorCompiler_isSaidInOneLine() throws Exception {
        assumeThat(Path.of("/dev/nvidiactl")).doesNotExist();
        RcommProcess ended =
                RcommProcess.run(folder, Map.of("PATH", folder.toString()), "overlap", "--device=cuda", "--ranks=2");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.lines())
                .singleElement()
                .asString()
                .startsWith("rcomm overlap: there is no GPU to use, and no compiler for doubles of CUDA and NCCL:")
                .contains("compiler=no gcc; install");
    }
}

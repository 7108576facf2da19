package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** {@code rcomm perf} and {@code rcomm overlap} on ranks of this process. */
@Timeout(60)
class RcommMeasureTest {

    private final RcommCalls rcomm = new RcommCalls();

    @Test
    void perf_localInRounds_showsMediansAndWritesBothFiles(@TempDir Path folder) throws Exception {
        Path json = folder.resolve("rows.json");
        assertThat(rcomm.run(
                        "perf",
                        "all-gather",
                        "--transport=local",
                        "--buffers=private,shared",
                        "--ranks=2",
                        "--rounds=2",
                        "--bytes=64,1024",
                        "--batches=3",
                        "--batch-millis=5",
                        "--warm-up-millis=5",
                        "--json=" + json,
                        "--chart=" + folder.resolve("chart.png")))
                .as(rcomm.err())
                .isZero();
        assertThat(rcomm.out().lines().filter(line -> line.startsWith("all-gather ")))
                .hasSize(2 * 4 + 4);
        assertThat(rcomm.out().lines())
                .startsWith("# all-gather, 2 ranks; times of one round, medians of 3 batch means")
                .contains("# round 1 of 2", "# round 2 of 2", "# medians of the rounds");
        assertThat(JsonMapper.shared().readTree(Files.readString(json)))
                .extracting(row ->
                        row.get("buffers").asString() + " " + row.get("bytes").asLong())
                .containsExactly("private 64", "private 1024", "shared 64", "shared 1024");
        assertThat(folder.resolve("chart.png")).isNotEmptyFile();
    }

    @Test
    void perf_peersOfLocalThatAreMissing_saysSoAndGoesOn() {
        assertThat(rcomm.run(
                        "perf",
                        "all-reduce",
                        "--transport=local",
                        "--ranks=2",
                        "--rounds=1",
                        "--bytes=64",
                        "--batches=3",
                        "--batch-millis=5",
                        "--warm-up-millis=5",
                        "--peers",
                        "--mpj-jars=/no/such/folder"))
                .isZero();
        assertThat(rcomm.out().lines())
                .anyMatch(line -> line.startsWith("# mpj: not installed: no starter.jar in [/no/such/folder]"))
                .anyMatch(line -> line.startsWith("# peers beside ours"));
    }

    @Test
    void overlap_localCompressed_showsSixRunsAndWritesThreeFiles(@TempDir Path folder) {
        assertThat(rcomm.run(
                        "overlap",
                        "--transport=local",
                        "--ranks=2",
                        "--steps=2",
                        "--hidden=8,8",
                        "--batch=16",
                        "--latency=100us",
                        "--rate=2gbit",
                        "--compress=int8",
                        "--trace=" + folder.resolve("trace.json"),
                        "--chart=" + folder.resolve("chart.png"),
                        "--json=" + folder.resolve("figures.json")))
                .isZero();
        assertThat(rcomm.out().lines())
                .anyMatch(line -> line.matches("local +reduce after backward .*%  +0"))
                .anyMatch(line -> line.matches("local +buckets overlapped .*%  +0"))
                .anyMatch(line -> line.matches("tcp \\+ 0.1 ms at 2 Gbit/s +reduce after backward +plain .*%  +0"))
                .anyMatch(line -> line.matches("tcp \\+ 0.1 ms at 2 Gbit/s +buckets overlapped +plain .*%  +0"))
                .anyMatch(line ->
                        line.matches("tcp \\+ 0.1 ms at 2 Gbit/s +reduce after backward +int8 .*% +-?[0-9.]+%  +0"))
                .anyMatch(line ->
                        line.matches("tcp \\+ 0.1 ms at 2 Gbit/s +buckets overlapped +int8 .*% +-?[0-9.]+%  +0"))
                .anyMatch(line -> line.startsWith("# 2 ranks on "))
                .anyMatch(
                        line -> line.matches(
                                "parameters of all 2 ranks are bit-equal after every run: hash [0-9a-f]{16}, [0-9a-f]{16} .int8."));
        assertThat(folder.resolve("trace.json")).isNotEmptyFile();
        assertThat(folder.resolve("chart.png")).isNotEmptyFile();
        assertThat(folder.resolve("figures.json")).content().contains("\"hiddenShare\" : ");
    }

    @Test
    void overlap_noLatency_leavesTheSlowLinksOut(@TempDir Path folder) {
        assertThat(rcomm.run(
                        "overlap",
                        "--transport=local",
                        "--ranks=1",
                        "--steps=1",
                        "--hidden=8",
                        "--batch=16",
                        "--latency=0",
                        "--trace=" + folder.resolve("trace.json"),
                        "--chart=" + folder.resolve("chart.png")))
                .isZero();
        assertThat(rcomm.out()).contains("local ").doesNotContain("tcp");
    }
}

package io.reactivecomm.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.samples.bench.peers.FakePrograms;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command as users start it: a process, and ranks in processes of their own. */
@Timeout(120)
class RcommProcessTest {

    private static final Pattern RESULT = Pattern.compile("test accuracy (\\S+), training loss (\\S+) after 30 epochs");

    @TempDir
    private Path folder;

    private record Ended(int exitCode, List<String> lines) {}

    private Ended rcomm(String... arguments) throws Exception {
        return rcomm(Map.of(), arguments);
    }

    private Ended rcomm(Map<String, String> environment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED"));
        // As users start it, with the compilers that they have: training computes.
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-XX:") && !flag.startsWith("-XX:TieredStopAtLevel"))
                .toList());
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                Rcomm.class.getName()));
        command.addAll(Arrays.asList(arguments));
        Path output = folder.resolve("output.txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            return new Ended(process.waitFor(), Files.readAllLines(output));
        } finally {
            process.destroyForcibly();
        }
    }

    /** As short as it can be: what is shown is what becomes of it. */
    private Ended perf(Map<String, String> environment, Path json, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "perf", "all-reduce", "--ranks=2", "--batches=3", "--batch-millis=5", "--warm-up-millis=5", "--json=" + json));
        arguments.addAll(List.of(more));
        return rcomm(environment, arguments.toArray(String[]::new));
    }

    private Matcher train(int ranks) throws Exception {
        Ended ended = rcomm(
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
    void perf_twoProcesses_writesRows() throws Exception {
        Path json = folder.resolve("rows.json");
        Ended ended = perf(Map.of(), json, "--transport=tcp", "--bytes=4,100000");
        assertThat(ended.lines()).noneMatch(line -> line.contains("incubator"));
        assertThat(ended.exitCode()).as(ended.lines().toString()).isZero();
        JsonNode rows = JsonMapper.shared().readTree(Files.readString(json));
        assertThat(rows.size()).isEqualTo(2);
        for (JsonNode row : rows) {
            assertThat(row.get("transport").asString()).isEqualTo("tcp");
            assertThat(row.get("ranks").asInt()).isEqualTo(2);
            assertThat(row.get("errors").asLong()).isZero();
        }
    }

    @Test
    void perf_transportsAndPeers_areRowsOfOneTable() throws Exception {
        Path bin = folder.resolve("bin");
        FakePrograms.script(bin, "python3", "[ \"$1\" = -c ] && echo torch 9.9 && exit 0\necho result call 64 12.5");
        FakePrograms.script(bin, "mpirun.openmpi", "[ \"$1\" = --version ] && echo 'mpirun (Open MPI) 4.9' && exit 0\nexit 5");
        FakePrograms.script(bin, "mpicc.openmpi", "[ \"$1\" = --showme:version ] && echo 'Open MPI'; exit 0");
        FakePrograms.script(bin, "cc", "while [ \"$1\" != -o ]; do shift; done; printf '#!/bin/sh\\necho result call 64 5' >\"$2\"; chmod +x \"$2\"");
        Path json = folder.resolve("rows.json");

        Ended ended = perf(
                Map.of("PATH", bin + ":" + System.getenv("PATH")),
                json,
                "--transport=local,tcp",
                "--bytes=64",
                "--rounds=1",
                "--peers",
                "--mpj-jars=/no/such/folder",
                "--chart=" + folder.resolve("chart.png"));

        assertThat(ended.exitCode()).as(ended.lines().toString()).isZero();
        assertThat(JsonMapper.shared().readTree(Files.readString(json)))
                .extracting(row -> row.get("transport").asString())
                .containsExactly("local", "tcp", "gloo", "limit-tcp");
        assertThat(ended.lines())
                .contains("# gloo: torch 9.9, " + bin.resolve("python3"))
                .anyMatch(line -> line.startsWith("# openmpi-tcp: it failed: exitCode=5"))
                .anyMatch(line -> line.matches("all-reduce +64 tcp +private +\\S+ +gloo +call +12.50 +\\S+x"))
                .anyMatch(line -> line.matches("all-reduce +64 tcp +private +\\S+ +limit-tcp +call +5.00 +\\S+x"));
        assertThat(folder.resolve("chart.png")).isNotEmptyFile();
    }

    @Test
    void perf_sharedMemory_bothKindsOfBuffers_haveNoErrors() throws Exception {
        Path json = folder.resolve("rows.json");
        Ended ended = perf(Map.of(), json, "--transport=shm", "--buffers=shared,private", "--bytes=64,262144");
        assertThat(ended.exitCode()).as(ended.lines().toString()).isZero();
        assertThat(JsonMapper.shared().readTree(Files.readString(json)))
                .extracting(row -> row.get("transport").asString() + " " + row.get("buffers").asString() + " " + row.get("errors").asInt())
                .containsExactly("shm shared 0", "shm shared 0", "shm private 0", "shm private 0");
    }

    @Test
    void overlap_twoProcesses_tracesBothRanks() throws Exception {
        Path trace = folder.resolve("trace.json");
        Ended ended = rcomm(
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
                .anyMatch(line -> line.startsWith("tcp            buckets overlapped"))
                .anyMatch(line -> line.startsWith("tcp + 0.1 ms   buckets overlapped"))
                .anyMatch(line -> line.startsWith("parameters of all 2 ranks are bit-equal after every run"));
        assertThat(JsonMapper.shared().readTree(Files.readString(trace)))
                .extracting(event -> event.get("pid").asInt())
                .contains(0, 1);
    }

    @Test
    void train_rankFails_exitsWithItsCode() throws Exception {
        Ended ended = rcomm("train", "--ranks", "2", "--epochs", "1", "--chart", folder.toString());
        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.lines()).anyMatch(line -> line.contains("cannot write the chart"));
    }
}

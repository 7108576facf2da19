package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.rcomm.peers.FakePrograms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** {@code rcomm perf} with ranks in processes of their own. */
@Timeout(120)
class RcommPerfProcessTest {

    @TempDir
    private Path folder;

    /** As short as it can be: what is shown is what becomes of it. */
    private RcommProcess perf(Map<String, String> environment, Path json, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "perf",
                "all-reduce",
                "--ranks=2",
                "--batches=3",
                "--batch-millis=5",
                "--warm-up-millis=5",
                "--json=" + json));
        arguments.addAll(List.of(more));
        return RcommProcess.run(folder, environment, arguments.toArray(String[]::new));
    }

    /** Digits and letters that are printed, and parsed by another process, are those of no language; files are in a folder with other letters and blanks. */
    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(strings = {"-Duser.language=ar -Duser.country=EG", "-Duser.language=tr -Duser.country=TR"})
    void perf_anyLanguage_hasTheSameRowsAndTable(String language) throws Exception {
        Path odd = Files.createDirectory(folder.resolve("ein Ördner 日"));
        Path json = odd.resolve("rows ı.json");

        RcommProcess ended = perf(
                Map.of(
                        "JAVA_TOOL_OPTIONS",
                        language,
                        "LC_ALL",
                        "C.UTF-8",
                        "RCOMM_TIMELINE",
                        odd.resolve("trace.json").toString()),
                json,
                "--transport=tcp",
                "--bytes=64",
                "--chart=" + odd.resolve("chart.png"));

        assertThat(ended.exitCode()).as(ended.lines().toString()).isZero();
        assertThat(ended.lines()).noneMatch(line -> line.matches(".*[\\p{Nd}&&[^0-9]].*"));
        assertThat(JsonMapper.shared().readTree(Files.readString(json)))
                .singleElement()
                .extracting(row -> row.get("transport").asString() + " "
                        + row.get("bytes").asInt() + " " + row.get("dtype").asString())
                .isEqualTo("tcp 64 float32");
        assertThat(odd.resolve("chart.png")).exists();
        for (int rank = 0; rank < 2; rank++) {
            assertThat(odd.resolve("trace." + rank + ".json")).isNotEmptyFile();
        }
    }

    @Test
    void perf_transportsAndPeers_areRowsOfOneTable() throws Exception {
        Path bin = folder.resolve("bin");
        FakePrograms.script(bin, "python3", "[ \"$1\" = -c ] && echo torch 9.9 && exit 0\necho result call 64 12.5");
        FakePrograms.script(
                bin, "mpirun.openmpi", "[ \"$1\" = --version ] && echo 'mpirun (Open MPI) 4.9' && exit 0\nexit 5");
        FakePrograms.script(bin, "mpicc.openmpi", "[ \"$1\" = --showme:version ] && echo 'Open MPI'; exit 0");
        FakePrograms.script(
                bin,
                "cc",
                "while [ \"$1\" != -o ]; do shift; done; printf '#!/bin/sh\\necho result call 64 5' >\"$2\"; chmod +x \"$2\"");
        Path json = folder.resolve("rows.json");

        RcommProcess ended = perf(
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
                .extracting(row -> row.get("transport").asString() + " "
                        + row.get("ranks").asInt() + " " + row.get("errors").asLong())
                .startsWith("local 2 0", "tcp 2 0")
                .extracting(row -> row.split(" ")[0])
                .containsExactly("local", "tcp", "gloo", "limit-tcp");
        assertThat(ended.lines()).noneMatch(line -> line.contains("incubator"));
        assertThat(ended.lines())
                .contains("# gloo: torch 9.9, " + bin.resolve("python3"))
                .anyMatch(line -> line.startsWith("# openmpi-tcp: it failed: exitCode=5"))
                .anyMatch(line -> line.matches("all-reduce +64 tcp +private +\\S+ +gloo +call +12.50 +\\S+x"))
                .anyMatch(line -> line.matches("all-reduce +64 tcp +private +\\S+ +limit-tcp +call +5.00 +\\S+x"));
        assertThat(folder.resolve("chart.png")).isNotEmptyFile();
    }

    private void requireRowsOfSharedMemory(String buffers, String... rows) throws Exception {
        Path json = folder.resolve("rows.json");
        RcommProcess ended = perf(Map.of(), json, "--transport=shm", "--buffers=" + buffers, "--bytes=64,262144");
        assertThat(ended.exitCode()).as(ended.lines().toString()).isZero();
        assertThat(JsonMapper.shared().readTree(Files.readString(json)))
                .extracting(row -> row.get("transport").asString() + " "
                        + row.get("buffers").asString() + " "
                        + row.get("errors").asInt())
                .containsExactly(rows);
    }

    @Test
    @Tag("thorough")
    void perf_sharedMemory_hasNoErrors() throws Exception {
        requireRowsOfSharedMemory("shared", "shm shared 0", "shm shared 0");
    }

    @Test
    @Tag("thorough")
    void perf_sharedMemory_bothKindsOfBuffers_haveNoErrors() throws Exception {
        requireRowsOfSharedMemory("shared,private", "shm shared 0", "shm shared 0", "shm private 0", "shm private 0");
    }

    private void requireCompressedRows(String ranks, String... rows) throws Exception {
        Path json = folder.resolve("rows.json");
        RcommProcess ended = RcommProcess.run(
                folder,
                "perf",
                "compressed",
                "--ranks=" + ranks,
                "--codec=one-bit",
                "--bytes=4096",
                "--rounds=1",
                "--warm-up-millis=1",
                "--batch-millis=1",
                "--rate=2gbit",
                "--json=" + json);

        assertThat(ended.exitCode()).as(ended.lines().toString()).isZero();
        assertThat(ended.lines()).noneMatch(line -> line.contains("incubator"));
        assertThat(ended.lines())
                .filteredOn(line -> line.matches("one-bit .* 0"))
                .hasSize(rows.length);
        assertThat(JsonMapper.shared().readTree(Files.readString(json)))
                .extracting(row -> row.get("ranks").asInt() + " "
                        + row.get("links").asString() + " " + row.get("errors").asInt())
                .containsExactly(rows);
    }

    @Test
    @Tag("thorough")
    void compressed_twoProcesses_areRowsOfBothLinks() throws Exception {
        requireCompressedRows("2", "2 tcp 0", "2 tcp at 2 Gbit/s 0");
    }

    @Test
    @Tag("thorough")
    void compressed_twoWorldsOfProcesses_areRowsOfOneTable() throws Exception {
        requireCompressedRows("1,2", "1 tcp 0", "1 tcp at 2 Gbit/s 0", "2 tcp 0", "2 tcp at 2 Gbit/s 0");
    }
}

package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.rcomm.gpu.check.CheckRow;
import io.reactivecomm.samples.programs.output.JsonFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command's table, its JSON and its packing; what it measures is tested over doubles where NCCL's module is. */
class RcommGpuCheckTest {

    private static final List<String> ROWS = List.of(
            "driver",
            "library",
            "symbols",
            "completion",
            "pairs",
            "java-c",
            "overlap",
            "moves",
            "two-ranks",
            "codecs",
            "mpi");

    @TempDir
    private Path folder;

    /** The file's content. */
    private record Report(String date, String java, String system, List<CheckRow> rows) {}

    private void requireReport(List<String> said, Path json) {
        assertThat(said.getFirst()).startsWith("# gpu-check, 20").contains("Java ");
        assertThat(said.stream().filter(line -> !line.startsWith(" ")).skip(1).map(line -> line.split(" ")[0]))
                .isEqualTo(ROWS);
        assertThat(said.stream().filter(line -> line.contains("may claim: "))).hasSameSizeAs(ROWS);
        Report report = JsonFile.read(json, Report.class);
        assertThat(report.rows()).extracting(CheckRow::name).isEqualTo(ROWS);
        if (report.rows().getFirst().reason().equals("no CUDA driver")) {
            System.err.println("skipped: no CUDA driver");
            assertThat(said)
                    .filteredOn(line -> line.endsWith(" skipped: no CUDA driver"))
                    .hasSize(ROWS.size() - 2);
        }
    }

    @Test
    void machine_isChecked_andWithoutADriverThatIsSaid() {
        Path json = folder.resolve("out/rows.json");
        RcommCalls rcomm = new RcommCalls();
        assertThat(rcomm.run("gpu-check", "--json", json.toString()))
                .as(rcomm.err() + rcomm.out())
                .isZero();
        requireReport(rcomm.out().lines().toList(), json);
    }

    @Test
    @Tag("thorough")
    void pack_isSmall_andRunsWithItsOwnJava() throws Exception {
        Path pack = folder.resolve("pack.tar.xz");
        RcommCalls rcomm = new RcommCalls();
        assertThat(rcomm.run("gpu-check", "--pack", pack.toString()))
                .as(rcomm.err())
                .isZero();
        assertThat(pack.toFile().length()).isBetween(1L, 30_000_000L);
        said("tar", "-C", folder.toString(), "-xf", pack.toString());
        Path json = folder.resolve("rows.json");
        requireReport(
                said("env", "-i", folder.resolve("gpu-check/gpu-check").toString(), "--json", json.toString()), json);
    }

    private static List<String> said(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> lines = process.inputReader().lines().toList();
        assertThat(process.waitFor()).as(lines.toString()).isZero();
        return lines;
    }
}

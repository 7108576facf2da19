package io.reactivecomm.rcomm.perf;

import io.reactivecomm.samples.programs.output.JsonFile;
import java.nio.file.Path;
import java.util.List;

/** The rows as JSON: an array of objects whose keys are the components of {@link PerfRow}, in their order. */
final class PerfJson {

    private PerfJson() {}

    /** Writes the rows to a file, making its folder if it is missing. */
    static void write(List<PerfRow> rows, Path file) {
        JsonFile.write(rows, file, "measurements", "--json");
    }

    /** {@return the rows that {@link #write} wrote} */
    static List<PerfRow> read(Path file) {
        return List.of(JsonFile.read(file, PerfRow[].class));
    }
}

package io.reactivecomm.samples.perf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The rows as JSON: an array of objects whose keys are the components of {@link PerfRow}, in their order. */
final class PerfJson {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    private PerfJson() {}

    static String write(List<PerfRow> rows) {
        return MAPPER.writeValueAsString(rows) + "\n";
    }

    /** Writes the rows to a file, making its folder if it is missing. */
    static void write(List<PerfRow> rows, Path file) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, write(rows));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot write the measurements: file=" + file + "; choose another with --json", e);
        }
    }
}

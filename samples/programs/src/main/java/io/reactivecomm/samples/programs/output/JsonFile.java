package io.reactivecomm.samples.programs.output;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Values as JSON: the keys of an object are the components of its record, in their order. */
public final class JsonFile {

    private static final JsonMapper COMPACT = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .build();

    private static final JsonMapper INDENTED =
            COMPACT.rebuild().enable(SerializationFeature.INDENT_OUTPUT).build();

    private JsonFile() {}

    /**
     * Writes a value to a file, making its folder if it is missing.
     *
     * @param what it is, for the message if it cannot be written
     * @param option by which the user chooses the file
     */
    public static void write(Object value, Path file, String what, String option) {
        writeText(INDENTED.writeValueAsString(value), file, what, option);
    }

    /** As {@link #write}, an array with one element a line: for those that are many and small. */
    public static void writeLines(List<?> elements, Path file, String what, String option) {
        String text =
                elements.stream().map(COMPACT::writeValueAsString).collect(Collectors.joining(",\n", "[\n", "\n]"));
        writeText(text, file, what, option);
    }

    /**
     * Reads what this class wrote, here or in another process of the same run.
     *
     * @throws UncheckedIOException if it cannot be read
     */
    public static <T> T read(Path file, Class<T> type) {
        try {
            return COMPACT.readValue(Files.readString(file), type);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what was written: file=" + file, e);
        }
    }

    private static void writeText(String text, Path file, String what, String option) {
        try {
            OutputFile.makeFolder(file);
            Files.writeString(file, text + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot write the " + what + ": file=" + file + "; choose another with " + option, e);
        }
    }
}

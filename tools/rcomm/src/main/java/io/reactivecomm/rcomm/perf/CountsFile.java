package io.reactivecomm.rcomm.perf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A file with a number of elements on each line. Empty lines do not count. */
final class CountsFile {

    private CountsFile() {}

    /**
     * {@return the numbers, in order}
     *
     * @throws IllegalArgumentException if there is no such file, no number in it, or something else
     */
    static List<Long> read(Path file) {
        List<Long> counts = new ArrayList<>();
        int number = 0;
        for (String line : lines(file)) {
            number++;
            if (!line.isBlank()) {
                counts.add(parse(file, number, line.strip()));
            }
        }
        if (counts.isEmpty()) {
            throw new IllegalArgumentException("no element counts: file=" + file + "; write one whole number a line");
        }
        return counts;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(
                    "no such file: file=" + file + "; name a file with one number a line", e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read element counts: file=" + file, e);
        }
    }

    private static long parse(Path file, int number, String text) {
        try {
            long count = Long.parseLong(text);
            if (count >= 0) {
                return count;
            }
        } catch (NumberFormatException e) {
            // Said below, as for a negative number.
        }
        throw new IllegalArgumentException("cannot read an element count: file=" + file + ", line=" + number + ", text="
                + text + "; write one whole number a line");
    }
}

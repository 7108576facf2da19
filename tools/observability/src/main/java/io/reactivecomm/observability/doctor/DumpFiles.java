package io.reactivecomm.observability.doctor;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.PrintableText;
import io.reactivecomm.recorder.FlightDump;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * The dumps that were found in files and folders.
 *
 * @param warnings a sentence for each file that was left out
 */
public record DumpFiles(List<FlightDump> dumps, List<String> warnings) {

    private static final String ENDING = ".json";

    public DumpFiles {
        dumps = List.copyOf(dumps);
        warnings = List.copyOf(warnings);
    }

    /**
     * {@return the dumps in files, and in all files of folders whose name ends in {@code .json}} One that cannot be read is left out, with a warning.
     *
     * @throws IOException if there is no dump among them
     */
    public static DumpFiles read(Collection<Path> paths) throws IOException {
        List<FlightDump> dumps = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        for (Path file : files(paths, warnings)) {
            try {
                dumps.add(FlightDump.read(file));
            } catch (IOException e) {
                warnings.add(because(file, e));
            }
        }
        if (dumps.isEmpty()) {
            throw new IOException("there is no dump of the flight recorder: looked in=" + paths
                    + (warnings.isEmpty() ? "" : ", " + warnings)
                    + "; start the job with RCOMM_DUMP=FOLDER, or call group.dump");
        }
        return new DumpFiles(dumps, warnings);
    }

    private static List<Path> files(Collection<Path> paths, List<String> warnings) {
        List<Path> files = new ArrayList<>();
        for (Path path : paths) {
            if (!Files.isDirectory(path)) {
                files.add(path);
                continue;
            }
            try (Stream<Path> all = Files.list(path)) {
                all.filter(each -> each.getFileName().toString().endsWith(ENDING))
                        .sorted()
                        .forEach(files::add);
            } catch (IOException e) {
                warnings.add(because(path, e));
            }
        }
        return files;
    }

    private static String because(Path path, IOException cause) {
        String why = cause instanceof FileSystemException
                ? "file=" + path + ", cause=" + cause
                : ErrorTexts.messageOrType(cause);
        return PrintableText.of("a dump is left out: " + why);
    }
}

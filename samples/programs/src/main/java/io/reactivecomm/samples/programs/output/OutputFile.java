package io.reactivecomm.samples.programs.output;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that a sample leaves behind, where the user chose. */
public final class OutputFile {

    private OutputFile() {}

    /**
     * Finds out, without writing, whether a file can be written: a long run that ends in an error for a wrong path is lost.
     *
     * @param option by which the user chooses the file
     * @throws IllegalArgumentException if it is a folder, cannot be changed, or its folder cannot be made
     */
    public static void requireWritable(Path file, String option) {
        Path absolute = file.toAbsolutePath().normalize();
        if (Files.isDirectory(absolute)) {
            throw refusal(file, "it is a folder", option);
        }
        if (Files.exists(absolute)) {
            require(Files.isWritable(absolute), file, "it cannot be changed", option);
            return;
        }
        Path folder = nearestFolder(absolute);
        require(Files.isDirectory(folder), file, folder + " is no folder", option);
        require(Files.isWritable(folder), file, "nothing can be made in " + folder, option);
    }

    /** {@return the nearest of the folders above that is there; the root is} */
    private static Path nearestFolder(Path absolute) {
        Path folder = absolute;
        while (folder.getParent() != null && !Files.exists(folder)) {
            folder = folder.getParent();
        }
        return folder;
    }

    private static void require(boolean holds, Path file, String why, String option) {
        if (!holds) {
            throw refusal(file, why, option);
        }
    }

    private static IllegalArgumentException refusal(Path file, String why, String option) {
        return new IllegalArgumentException("cannot write to that path: " + option.substring(2) + "=" + file
                + ", because " + why + "; choose another with " + option);
    }

    /** Makes the file's folder if it is missing. A root has none. */
    public static void makeFolder(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
    }
}

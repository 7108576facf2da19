package io.reactivecomm.rcomm.output;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder for what a run needs and nobody else: it goes when it is closed, or when this process ends before that, as after Ctrl-C.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ScratchFolder implements AutoCloseable {

    private final Path path;
    private final Thread atShutdown = new Thread(this::remove, "rcomm-remove-scratch");

    private ScratchFolder(Path path) {
        this.path = path;
    }

    /** {@return a new folder where temporary files go} */
    public static ScratchFolder make() {
        try {
            ScratchFolder folder = new ScratchFolder(Files.createTempDirectory("rcomm-"));
            Runtime.getRuntime().addShutdownHook(folder.atShutdown);
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot make a temporary folder: in=" + System.getProperty("java.io.tmpdir") + "; make room there",
                    e);
        }
    }

    /** {@return the folder} */
    public Path path() {
        return path;
    }

    /** {@return a path in the folder where nothing is yet} */
    public Path fresh(String name) {
        Path file = path.resolve(name);
        for (int i = 2; Files.exists(file); i++) {
            file = path.resolve(i + "-" + name);
        }
        return file;
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(atShutdown);
        } catch (IllegalStateException e) {
            // This process is ending: the hook does the same as the next line, and either may come first.
        }
        remove();
    }

    private void remove() {
        try (Stream<Path> files = Files.walk(path)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            // What is left is in the folder for temporary files, which is emptied by others.
        }
    }
}

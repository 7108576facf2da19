package io.reactivecomm.timeline;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The file of a part: opened when there is something to write, and open only while a world is. What was there before is kept beside it.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class PartFile extends OutputStream {

    private static final String BEFORE = ".before";

    private final Path file;
    private boolean isBegun;
    private @Nullable OutputStream open;

    PartFile(Path file) {
        this.file = file;
    }

    /** {@return the file of one rank's part of a trace, such as {@code trace.3.json} of {@code trace.json}} */
    static Path of(Path trace, int rank) {
        String name = String.valueOf(trace.getFileName());
        int dot = name.lastIndexOf('.');
        String part = dot <= 0 ? name + "." + rank : name.substring(0, dot) + "." + rank + name.substring(dot);
        return trace.resolveSibling(part);
    }

    /** @throws TimelineException if nothing can be written there, as far as that can be told without writing */
    static void requireWritable(Path file) {
        if (Files.isDirectory(file)) {
            throw refusal(file, "it is a folder");
        }
        if (Files.exists(file)) {
            requireTrue(Files.isWritable(file), file, "it cannot be changed");
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        while (folder != null && !Files.exists(folder)) {
            folder = folder.getParent();
        }
        requireTrue(folder != null && Files.isDirectory(folder) && Files.isWritable(folder), file, folder + " takes no file");
    }

    private static void requireTrue(boolean holds, Path file, String why) {
        if (!holds) {
            throw refusal(file, why);
        }
    }

    private static TimelineException refusal(Path file, String why) {
        return new TimelineException("a timeline cannot be written there: file=" + file + ", because " + why + "; choose another");
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        OutputStream to = open;
        if (to == null) {
            to = open();
            open = to;
        }
        to.write(bytes, from, length);
    }

    private OutputStream open() throws IOException {
        if (isBegun) {
            return Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        isBegun = true;
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        if (Files.isRegularFile(file)) {
            Files.move(file, file.resolveSibling(file.getFileName() + BEFORE), StandardCopyOption.REPLACE_EXISTING);
        }
        return Files.newOutputStream(file);
    }

    /** Closes the file; what is written later is appended. */
    @Override
    public void close() throws IOException {
        OutputStream to = open;
        open = null;
        if (to != null) {
            to.close();
        }
    }
}

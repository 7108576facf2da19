package io.reactivecomm.timeline;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a part: opened when there is something to write, and open only while a world is. What was there before is kept beside it.
 *
 * <p>While it is open it is locked, since two that write to one file leave a trace of neither. Where a file system has no locks there is none.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class PartFile extends OutputStream {

    private static final Logger LOG = LoggerFactory.getLogger(PartFile.class);

    private static final String BEFORE = ".before";

    private final Path file;
    /** Of the file that was begun, by which it is known again; null where the system has no such thing. */
    private @Nullable Object key;

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
        requireTrue(
                folder != null && Files.isDirectory(folder) && Files.isWritable(folder),
                file,
                folder + " takes no file");
    }

    private static void requireTrue(boolean holds, Path file, String why) {
        if (!holds) {
            throw refusal(file, why);
        }
    }

    private static TimelineException refusal(Path file, String why) {
        return new TimelineException(
                "a timeline cannot be written there: file=" + file + ", because " + why + "; choose another");
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
            if (!Objects.equals(key, keyOf(file))) {
                throw new IOException("another file has taken its place, perhaps of another timeline");
            }
            return locked(StandardOpenOption.APPEND);
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        if (Files.isRegularFile(file)) {
            // Whoever still writes to it has locked it.
            locked(StandardOpenOption.APPEND).close();
            Files.move(file, file.resolveSibling(file.getFileName() + BEFORE), StandardCopyOption.REPLACE_EXISTING);
        }
        OutputStream begun = locked(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        isBegun = true;
        key = keyOf(file);
        return begun;
    }

    private static @Nullable Object keyOf(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    private OutputStream locked(OpenOption... options) throws IOException {
        FileChannel channel = FileChannel.open(file, options);
        if (!isLocked(channel)) {
            channel.close();
            throw new IOException("another timeline writes there");
        }
        return Channels.newOutputStream(channel);
    }

    private static boolean isLocked(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            LOG.debug("writes a timeline without a lock", e);
            return true;
        }
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

package io.reactivecomm.shm;

import io.reactivecomm.CommException;
import io.reactivecomm.spi.WarningLog;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import org.slf4j.Logger;

/**
 * The memory that one rank shows to the others of its host. It is a file without a name, as large as the machine's memory and empty but for
 * what was {@linkplain #reserve reserved}.
 *
 * <p>It is a sealed {@code memfd}: nobody can truncate it, which would kill every process that maps it, and nothing of it is left behind
 * however the process ends. Where the system has none it is a file in {@code /dev/shm} with a random name, removed at once. Either way the
 * others open it through this process's descriptor, which only the same user may.
 *
 * <p><b>Threads.</b> Any.
 */
final class SharedFile implements AutoCloseable {

    private static final Logger LOG = WarningLog.of(SharedFile.class);
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final int NAME_BYTES = 16;

    private final int descriptor;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    private SharedFile(int descriptor, long bytes) throws IOException {
        this.descriptor = descriptor;
        Libc.resize(descriptor, bytes);
        this.memory =
                map(pathOf(ProcessHandle.current().pid(), descriptor), bytes, FileChannel.MapMode.READ_WRITE, arena);
    }

    /**
     * {@return a new file}
     *
     * @throws IOException if the system refuses one
     */
    static SharedFile create(long bytes) throws IOException {
        try {
            return sealed(bytes);
        } catch (IOException e) {
            LOG.debug("no sealed memory file: a named one is used", e);
            return namedAfter(e, bytes);
        }
    }

    private static SharedFile namedAfter(IOException first, long bytes) throws IOException {
        try {
            return named(SHARED_MEMORY, bytes);
        } catch (IOException e) {
            throw new IOException(
                    CommException.textOf(first) + "; in " + SHARED_MEMORY + ": " + CommException.textOf(e), e);
        }
    }

    private static SharedFile sealed(long bytes) throws IOException {
        SharedFile file = open(Libc.newMemoryFile("reactive-comm"), bytes);
        try {
            Libc.seal(file.descriptor);
            return file;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** {@return a file that had a name in that directory for a moment} */
    static SharedFile named(Path directory, long bytes) throws IOException {
        byte[] random = new byte[NAME_BYTES];
        new SecureRandom().nextBytes(random);
        Path path = directory.resolve("reactive-comm-" + HexFormat.of().formatHex(random));
        int descriptor = Libc.newFile(path.toString());
        try {
            Files.delete(path);
        } catch (IOException e) {
            Libc.closeAfter(e, descriptor);
            throw e;
        }
        return open(descriptor, bytes);
    }

    private static SharedFile open(int descriptor, long bytes) throws IOException {
        try {
            return new SharedFile(descriptor, bytes);
        } catch (IOException e) {
            Libc.closeAfter(e, descriptor);
            throw e;
        }
    }

    /** {@return where a process of the same user finds a descriptor's file} */
    private static Path pathOf(long pid, int descriptor) {
        return Path.of("/proc", Long.toString(pid), "fd", Integer.toString(descriptor));
    }

    private static MemorySegment map(Path path, long bytes, FileChannel.MapMode mode, Arena arena) throws IOException {
        Set<StandardOpenOption> options = mode == FileChannel.MapMode.READ_WRITE
                ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE)
                : Set.of(StandardOpenOption.READ);
        try (FileChannel channel = FileChannel.open(path, options)) {
            if (channel.size() != bytes) {
                throw new IOException(
                        "a file of another size: path=" + path + ", bytes=" + channel.size() + ", expected=" + bytes);
            }
            return unmappedView(channel.map(mode, 0, bytes, arena), arena);
        }
    }

    /** {@return the same, not as a mapped file: nobody can truncate this one, so nothing has to beware of lost pages} */
    private static MemorySegment unmappedView(MemorySegment mapped, Arena arena) {
        MemorySegment view = MemorySegment.ofAddress(mapped.address()).reinterpret(mapped.byteSize(), arena, null);
        return mapped.isReadOnly() ? view.asReadOnly() : view;
    }

    /**
     * {@return another rank's memory, to be read}
     *
     * @throws IOException if there is no such file, or this process may not open it
     */
    static MemorySegment view(long pid, int descriptor, long bytes, Arena arena) throws IOException {
        return map(pathOf(pid, descriptor), bytes, FileChannel.MapMode.READ_ONLY, arena);
    }

    int descriptor() {
        return descriptor;
    }

    /** {@return the whole file; only what is reserved may be touched} */
    MemorySegment memory() {
        return memory;
    }

    /**
     * Puts zeroed memory behind a part.
     *
     * @throws IOException if there is none
     */
    void reserve(long from, long bytes) throws IOException {
        Libc.reserve(descriptor, from, bytes);
    }

    /** Gives the memory behind a part back to the system. */
    void release(long from, long bytes) {
        try {
            Libc.release(descriptor, from, bytes);
        } catch (IOException e) {
            LOG.warn("shared memory stays in use: bytes={}, cause={}", bytes, CommException.textOf(e));
            // Who takes it next finds zeros.
            memory.asSlice(from, bytes).fill((byte) 0);
        }
    }

    @Override
    public void close() {
        arena.close();
        try {
            Libc.close(descriptor);
        } catch (IOException e) {
            LOG.warn("a descriptor of shared memory stays open: {}", CommException.textOf(e));
        }
    }
}

package io.reactivecomm.netty.internal.rendezvous;

import io.reactivecomm.RendezvousException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An open directory in which nobody but this user and the system can exchange files, reached through no symbolic link.
 *
 * <p>All that is done to its files goes by their name within the open directory, and never through a link. So what has been checked about
 * a name stays true: another user can neither rename the directory's files nor put a link in their place.
 *
 * <p><b>Errors.</b> {@link RendezvousException} if the directory is not such a one; {@link IOException} as the system says.
 */
final class SafeDirectory implements AutoCloseable {

    private static final int STICKY = 01000;

    private static final Set<PosixFilePermission> WRITABLE_BY_OTHERS =
            EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    private final Path path;
    private final SecureDirectoryStream<Path> open;

    private SafeDirectory(Path path, SecureDirectoryStream<Path> open) {
        this.path = path;
        this.open = open;
    }

    static SafeDirectory open(Path path) throws IOException {
        Path real = path.toRealPath();
        if (!real.equals(path)) {
            throw refused(path, "it is reached through a symbolic link, real=" + real, "write the real path");
        }
        DirectoryStream<Path> stream = Files.newDirectoryStream(path);
        if (!(stream instanceof SecureDirectoryStream<Path> secure)) {
            stream.close();
            throw refused(path, "this system cannot keep it open", "use tcp://host:port");
        }
        SafeDirectory directory = new SafeDirectory(path, secure);
        try {
            directory.requireSafe();
            return directory;
        } catch (IOException | RendezvousException e) {
            directory.close();
            throw e;
        }
    }

    private void requireSafe() throws IOException {
        PosixFileAttributes here =
                open.getFileAttributeView(PosixFileAttributeView.class).readAttributes();
        Map<String, Object> there = Files.readAttributes(path, "unix:mode,fileKey", LinkOption.NOFOLLOW_LINKS);
        if (!here.fileKey().equals(there.get("fileKey"))) {
            throw refused(path, "it was exchanged while it was opened", "find out by whom");
        }
        boolean sticky = there.get("mode") instanceof Integer mode && (mode & STICKY) != 0;
        if (!sticky && here.permissions().stream().anyMatch(WRITABLE_BY_OTHERS::contains)) {
            throw refused(
                    path,
                    "others may write to it, mode=" + PosixFilePermissions.toString(here.permissions()),
                    "use a directory of your own, with mode 0700");
        }
    }

    /** Refuses a directory whose owner, who may exchange its files, is neither that user nor the system. */
    void requireOwner(UserPrincipal self) throws IOException {
        UserPrincipal owner = open.getFileAttributeView(PosixFileAttributeView.class)
                .readAttributes()
                .owner();
        if (!owner.equals(self) && !owner.equals(Files.getOwner(path.getRoot()))) {
            throw refused(path, "it belongs to somebody else, owner=" + owner, "use a directory of your own");
        }
    }

    private static RendezvousException refused(Path path, String fact, String remedy) {
        return new RendezvousException(
                "refuses the rendezvous file's directory: directory=" + path + ", " + fact + "; " + remedy);
    }

    /** {@return what is known of that name itself, be it a link, or null if there is none such} */
    @Nullable PosixFileAttributes attributes(Path name) throws IOException {
        try {
            return open.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Makes an empty file that only this user may read and write; fails if the name is there, be it a link. */
    void create(Path name) throws IOException {
        open.newByteChannel(
                        name,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))
                .close();
    }

    /** Writes a file's content; a link is an error. */
    void write(Path name, byte[] content) throws IOException {
        try (SeekableByteChannel channel =
                open.newByteChannel(name, Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /** {@return the first bytes of a file, at most {@code limit}; a link is an error} */
    byte[] read(Path name, int limit) throws IOException {
        try (SeekableByteChannel channel =
                open.newByteChannel(name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            ByteBuffer bytes = ByteBuffer.allocate(limit);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                // Until the end or the limit.
            }
            byte[] content = new byte[bytes.flip().remaining()];
            bytes.get(content);
            return content;
        }
    }

    /** Gives a file another name, in whose place it comes at once. */
    void rename(Path from, Path to) throws IOException {
        open.move(from, open, to);
    }

    void delete(Path name) throws IOException {
        open.deleteFile(name);
    }

    /**
     * Deletes a file, unless another has its name by now or comes to have it meanwhile: what is deleted has been looked at under a name that
     * nobody else uses.
     *
     * @param aside such a name
     * @param key what identifies the file
     */
    void delete(Path name, Path aside, Object key) throws IOException {
        if (!isThere(name, key)) {
            return;
        }
        try {
            rename(name, aside);
        } catch (NoSuchFileException e) {
            return;
        }
        if (isThere(aside, key) || attributes(name) != null) {
            delete(aside);
        } else {
            rename(aside, name);
        }
    }

    private boolean isThere(Path name, Object key) throws IOException {
        PosixFileAttributes there = attributes(name);
        return there != null && there.fileKey().equals(key);
    }

    /** {@return the names of what is in it; once} */
    List<Path> names() {
        List<Path> names = new ArrayList<>();
        open.forEach(each -> names.add(each.getFileName()));
        return names;
    }

    @Override
    public void close() throws IOException {
        open.close();
    }
}
